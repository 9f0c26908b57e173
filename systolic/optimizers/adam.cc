// Tested by: systolic/optimizers/optimizer_base_platform_test.cc
#include "systolic/optimizers/adam.h"

#include "systolic/ops/math.h"
#include "systolic/optimizers/optimizer_base.h"
#include "systolic/optimizers/options.h"

namespace systolic::optimizers {
namespace {

class AdamBase : public OptimizerBase {
 public:
  AdamBase(std::string_view class_name, const AdamOptions& options)
      : OptimizerBase(common_options(options)),
        class_name_(class_name),
        options_(options) {
    internal::check_option(class_name, "beta_1", options.beta_1,
                           internal::kDecay);
    internal::check_option(class_name, "beta_2", options.beta_2,
                           internal::kDecay);
    internal::check_option(class_name, "epsilon", options.epsilon,
                           internal::kNotNegative);
  }

  std::string_view class_name() const override { return class_name_; }

  // The learning rate with both averages' start at zero made good.
  Tensor step_size(const Tensor& learning_rate) const override {
    const DType dtype = learning_rate.dtype();
    const Tensor step = cast(updates() + 1, dtype);
    const Tensor beta_1_power = power(options_.beta_1, step);
    const Tensor beta_2_power = power(options_.beta_2, step);
    return learning_rate * sqrt(1 - beta_2_power) / (1 - beta_1_power);
  }

  void update_step(const Tensor& gradient, Variable variable,
                   const Tensor& alpha) override {
    Variable m = slot_of(momentums_, variable);
    Variable v = slot_of(velocities_, variable);
    m.assign_add((gradient - m) * (1 - options_.beta_1));
    v.assign_add((square(gradient) - v) * (1 - options_.beta_2));
    Tensor second = v.value();
    if (options_.amsgrad) {
      Variable largest = slot_of(velocity_hats_, variable);
      largest.assign(maximum(largest, second));
      second = largest.value();
    }
    variable.assign_sub(m * alpha / (sqrt(second) + options_.epsilon));
  }

 protected:
  void build_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      momentums_.push_back(add_slot(variable, "momentum"));
      velocities_.push_back(add_slot(variable, "velocity"));
    }
    if (options_.amsgrad) velocity_hats_ = add_slots(variables, "velocity_hat");
  }

 private:
  std::string_view class_name_;
  AdamOptions options_;
  std::vector<Variable> momentums_;
  std::vector<Variable> velocities_;
  std::vector<Variable> velocity_hats_;
};

}  // namespace

Adam::Adam(const AdamOptions& options)
    : Optimizer(std::make_shared<AdamBase>("Adam", options)) {}

AdamW::AdamW(const AdamWOptions& options)
    : Optimizer(std::make_shared<AdamBase>(
          "AdamW", AdamOptions{.learning_rate = options.learning_rate,
                               .beta_1 = options.beta_1,
                               .beta_2 = options.beta_2,
                               .epsilon = options.epsilon,
                               .amsgrad = options.amsgrad,
                               .weight_decay = options.weight_decay,
                               .clipnorm = options.clipnorm,
                               .clipvalue = options.clipvalue,
                               .global_clipnorm = options.global_clipnorm,
                               .use_ema = options.use_ema,
                               .ema_momentum = options.ema_momentum,
                               .ema_overwrite_frequency =
                                   options.ema_overwrite_frequency,
                               .loss_scale_factor = options.loss_scale_factor,
                               .gradient_accumulation_steps =
                                   options.gradient_accumulation_steps,
                               .name = options.name})) {}

}  // namespace systolic::optimizers
