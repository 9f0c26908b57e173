#include "systolic/optimizers/optimizer.h"

#include "systolic/base/auto_name.h"
#include "systolic/base/message.h"
#include "systolic/optimizers/optimizer_base.h"
#include "systolic/optimizers/options.h"

namespace systolic::optimizers {

Optimizer::Optimizer(std::shared_ptr<OptimizerBase> base)
    : base_(std::move(base)) {
  if (base_ != nullptr && base_->name().empty()) {
    base_->set_name(internal::auto_name(base_->class_name()));
  }
}

OptimizerBase& Optimizer::base() const {
  if (base_ == nullptr) {
    internal::Message("Optimizer")
        .expected("an optimizer")
        .got("an undefined one (Optimizer())")
        .raise<ValueError>();
  }
  return *base_;
}

void Optimizer::build(const std::vector<Variable>& variables) const {
  base().build(variables);
}

void Optimizer::apply(const std::vector<Tensor>& grads,
                      const std::vector<Variable>& trainable_variables) const {
  base().apply(grads, trainable_variables);
}

void Optimizer::apply(const std::vector<Tensor>& grads) const {
  OptimizerBase& optimizer = base();
  if (!optimizer.built()) {
    internal::Message(std::string(optimizer.class_name()) + " \"" +
                      optimizer.name() + "\"")
        .expected("variables beside the gradients")
        .got("gradients alone, before build")
        .hint("apply(grads, variables), or build(variables) first")
        .raise<ValueError>();
  }
  optimizer.apply(grads, optimizer.trainable_variables());
}

Variable Optimizer::apply_gradients(
    const std::vector<std::pair<Tensor, Variable>>& grads_and_vars) const {
  std::vector<Tensor> grads;
  std::vector<Variable> variables;
  for (const auto& [gradient, variable] : grads_and_vars) {
    grads.push_back(gradient);
    variables.push_back(variable);
  }
  base().apply(grads, variables);
  return iterations();
}

Variable Optimizer::iterations() const { return base().iterations(); }

Variable Optimizer::learning_rate() const { return base().learning_rate(); }

void Optimizer::set_learning_rate(double learning_rate) const {
  OptimizerBase& optimizer = base();
  if (optimizer.has_schedule()) {
    internal::Message(std::string(optimizer.class_name()) + " \"" +
                      optimizer.name() + "\"")
        .rule("its learning rate is a schedule and can not be set")
        .hint("make the optimizer with a number as learning_rate")
        .raise<TypeError>();
  }
  internal::check_option(
      std::string(optimizer.class_name()) + " \"" + optimizer.name() + "\"",
      "learning_rate", learning_rate, internal::kNotNegative);
  Variable variable = optimizer.learning_rate();
  variable.assign(learning_rate);
}

void Optimizer::exclude_from_weight_decay(
    const WeightDecayExclusions& which) const {
  base().exclude_from_weight_decay(which);
}

Tensor Optimizer::scale_loss(const Tensor& loss) const {
  return base().scale_loss(loss);
}

void Optimizer::finalize_variable_values(
    const std::vector<Variable>& variables) const {
  base().finalize_variable_values(variables);
}

const std::string& Optimizer::name() const { return base().name(); }

std::vector<Variable> Optimizer::variables() const {
  return base().variables();
}

}  // namespace systolic::optimizers
