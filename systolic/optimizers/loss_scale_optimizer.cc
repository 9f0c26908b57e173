#include "systolic/optimizers/loss_scale_optimizer.h"

#include "systolic/base/message.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/optimizers/optimizer_base.h"
#include "systolic/optimizers/options.h"
#include "systolic/optimizers/when.h"

namespace systolic::optimizers {
namespace {

class LossScaleBase final : public OptimizerBase {
 public:
  LossScaleBase(Optimizer inner, const LossScaleOptimizerOptions& options)
      : OptimizerBase({.learning_rate = 0, .name = options.name}),
        inner_(std::move(inner)),
        options_(options) {
    inner_.base();  // throws where there is none
    const internal::OptionRange positive{1e-300, 1e300, "> 0"};
    internal::check_option("LossScaleOptimizer", "initial_scale",
                           options.initial_scale, positive);
    internal::check_option("LossScaleOptimizer", "dynamic_growth_steps",
                           static_cast<double>(options.dynamic_growth_steps),
                           positive);
    internal::check_option("LossScaleOptimizer", "minimum_scale",
                           options.minimum_scale, internal::kNotNegative);
  }

  std::string_view class_name() const override { return "LossScaleOptimizer"; }

  void build(const std::vector<Variable>& variables) override {
    if (built()) return;
    steps_ = add_scalar(Array::scalar(0), "step_counter");
    scale_ =
        add_scalar(Array::scalar(static_cast<float>(options_.initial_scale)),
                   "dynamic_scale");
    inner_.build(variables);
    OptimizerBase::build(variables);
  }

  // The gradients are those of all replicas, so all of them skip, or none.
  void apply_reduced(std::vector<Tensor> grads,
                     const std::vector<Variable>& variables) override {
    Tensor finite;
    for (const Tensor& g : grads) {
      const Tensor here = reduce_all(isfinite(g));
      finite = finite.is_defined() ? logical_and(finite, here) : here;
    }
    const Tensor scale = scale_.value();
    internal::when(finite, [&] {
      std::vector<Tensor> unscaled;
      for (const Tensor& g : grads) {
        const Tensor wide =
            g.dtype() == DType::float64 ? g : cast(g, DType::float32);
        unscaled.push_back(wide / cast(scale, wide.dtype()));
      }
      inner_.base().apply_reduced(unscaled, variables);
    });
    const Tensor grows =
        greater_equal(steps_ + 1, options_.dynamic_growth_steps);
    const Tensor good = where(grows, scale * 2, scale);
    const Tensor bad = maximum(scale * 0.5, options_.minimum_scale);
    scale_.assign(where(finite, good, bad));
    steps_.assign(
        where(logical_and(finite, logical_not(grows)), steps_ + 1, 0));
  }

  void update_step(const Tensor&, Variable, const Tensor&) override {}

  Tensor scale_loss(const Tensor& loss) const override {
    if (!built()) return loss * options_.initial_scale;
    return loss * cast(scale_, loss.dtype());
  }

  void finalize_variable_values(
      const std::vector<Variable>& variables) override {
    inner_.finalize_variable_values(variables);
  }

  const Variable& iterations() const override {
    return inner_.base().iterations();
  }
  const Variable& learning_rate() const override {
    return inner_.base().learning_rate();
  }
  bool has_schedule() const override { return inner_.base().has_schedule(); }

  std::vector<Variable> variables() const override {
    std::vector<Variable> all = OptimizerBase::variables();
    for (const Variable& variable : inner_.variables()) {
      all.push_back(variable);
    }
    return all;
  }

  Variable scale() const {
    if (!built()) {
      internal::Message(who())
          .rule("it has no scale before it is built")
          .hint("call build(variables), or train a step")
          .raise<ValueError>();
    }
    return scale_;
  }
  const Optimizer& inner() const { return inner_; }

 private:
  Optimizer inner_;
  LossScaleOptimizerOptions options_;
  Variable steps_;
  Variable scale_;
};

}  // namespace

LossScaleOptimizer::LossScaleOptimizer(Optimizer inner_optimizer,
                                       const LossScaleOptimizerOptions& options)
    : Optimizer(std::make_shared<LossScaleBase>(std::move(inner_optimizer),
                                                options)) {}

Variable LossScaleOptimizer::dynamic_scale() const {
  return static_cast<const LossScaleBase&>(base()).scale();
}

Optimizer LossScaleOptimizer::inner_optimizer() const {
  return static_cast<const LossScaleBase&>(base()).inner();
}

}  // namespace systolic::optimizers
