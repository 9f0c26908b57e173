// Tested by: systolic/optimizers/optimizer_base_platform_test.cc
#include "systolic/optimizers/adagrad.h"

#include "systolic/ops/math.h"
#include "systolic/optimizers/optimizer_base.h"
#include "systolic/optimizers/options.h"

namespace systolic::optimizers {
namespace {

class AdagradBase final : public OptimizerBase {
 public:
  explicit AdagradBase(const AdagradOptions& options)
      : OptimizerBase(common_options(options)), options_(options) {
    internal::check_option("Adagrad", "initial_accumulator_value",
                           options.initial_accumulator_value,
                           internal::kNotNegative);
    internal::check_option("Adagrad", "epsilon", options.epsilon,
                           internal::kNotNegative);
  }

  std::string_view class_name() const override { return "Adagrad"; }

  void update_step(const Tensor& gradient, Variable variable,
                   const Tensor& learning_rate) override {
    Variable sum = slot_of(accumulators_, variable);
    sum.assign_add(square(gradient));
    variable.assign_sub(learning_rate * gradient /
                        sqrt(sum + options_.epsilon));
  }

 protected:
  void build_slots(const std::vector<Variable>& variables) override {
    accumulators_ =
        add_slots(variables, "accumulator", options_.initial_accumulator_value);
  }

 private:
  AdagradOptions options_;
  std::vector<Variable> accumulators_;
};

class AdadeltaBase final : public OptimizerBase {
 public:
  explicit AdadeltaBase(const AdadeltaOptions& options)
      : OptimizerBase(common_options(options)), options_(options) {
    internal::check_option("Adadelta", "rho", options.rho, internal::kShare);
    internal::check_option("Adadelta", "epsilon", options.epsilon,
                           internal::kNotNegative);
  }

  std::string_view class_name() const override { return "Adadelta"; }

  void update_step(const Tensor& gradient, Variable variable,
                   const Tensor& learning_rate) override {
    const double rho = options_.rho;
    Variable grads = slot_of(grads_, variable);
    Variable deltas = slot_of(deltas_, variable);
    grads.assign(rho * grads + (1 - rho) * square(gradient));
    const Tensor delta = -(root(deltas) * gradient / root(grads));
    deltas.assign(rho * deltas + (1 - rho) * square(delta));
    variable.assign_add(learning_rate * delta);
  }

 protected:
  void build_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      grads_.push_back(add_slot(variable, "accumulated_grad"));
      deltas_.push_back(add_slot(variable, "accumulated_delta_var"));
    }
  }

 private:
  Tensor root(const Variable& squares) const {
    return sqrt(squares + options_.epsilon);
  }

  AdadeltaOptions options_;
  std::vector<Variable> grads_;
  std::vector<Variable> deltas_;
};

}  // namespace

Adagrad::Adagrad(const AdagradOptions& options)
    : Optimizer(std::make_shared<AdagradBase>(options)) {}

Adadelta::Adadelta(const AdadeltaOptions& options)
    : Optimizer(std::make_shared<AdadeltaBase>(options)) {}

}  // namespace systolic::optimizers
