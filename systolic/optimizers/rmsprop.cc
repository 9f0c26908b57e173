// Tested by: systolic/optimizers/optimizer_base_platform_test.cc
#include "systolic/optimizers/rmsprop.h"

#include "systolic/ops/math.h"
#include "systolic/optimizers/optimizer_base.h"
#include "systolic/optimizers/options.h"

namespace systolic::optimizers {
namespace {

class RMSpropBase : public OptimizerBase {
 public:
  explicit RMSpropBase(const RMSpropOptions& options)
      : OptimizerBase(common_options(options)), options_(options) {
    internal::check_option("RMSprop", "rho", options.rho, internal::kShare);
    internal::check_option("RMSprop", "momentum", options.momentum,
                           internal::kShare);
    internal::check_option("RMSprop", "epsilon", options.epsilon,
                           internal::kNotNegative);
  }

  std::string_view class_name() const override { return "RMSprop"; }

  void update_step(const Tensor& gradient, Variable variable,
                   const Tensor& learning_rate) override {
    const double rho = options_.rho;
    Variable velocity = slot_of(velocities_, variable);
    velocity.assign(rho * velocity + (1 - rho) * square(gradient));
    Tensor denominator = velocity.value();
    if (options_.centered) {
      Variable average = slot_of(average_gradients_, variable);
      average.assign(rho * average + (1 - rho) * gradient);
      denominator = denominator - square(average);
    }
    const Tensor increment =
        learning_rate * gradient / sqrt(denominator + options_.epsilon);
    if (options_.momentum <= 0) {
      variable.assign_sub(increment);
      return;
    }
    Variable momentum = slot_of(momentums_, variable);
    momentum.assign(options_.momentum * momentum + increment);
    variable.assign_sub(momentum.value());
  }

 protected:
  void build_slots(const std::vector<Variable>& variables) override {
    velocities_ = add_slots(variables, "velocity");
    if (options_.momentum > 0) momentums_ = add_slots(variables, "momentum");
    if (options_.centered) {
      average_gradients_ = add_slots(variables, "average_gradient");
    }
  }

 private:
  RMSpropOptions options_;
  std::vector<Variable> velocities_;
  std::vector<Variable> momentums_;
  std::vector<Variable> average_gradients_;
};

}  // namespace

RMSprop::RMSprop(const RMSpropOptions& options)
    : Optimizer(std::make_shared<RMSpropBase>(options)) {}

}  // namespace systolic::optimizers
