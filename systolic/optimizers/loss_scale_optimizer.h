// LossScaleOptimizer: keeps small gradients of float16 from becoming 0.
//
//   optimizers::LossScaleOptimizer optimizer(optimizers::Adam(1e-3));
//   Tensor scaled = optimizer.scale_loss(loss);
//   optimizer.apply(tape.gradient(scaled, variables), variables);
//
// compile() wraps its optimizer in one under the policy "mixed_float16".
#pragma once

#include <string>

#include "systolic/optimizers/optimizer.h"

namespace systolic::optimizers {

/// Options of LossScaleOptimizer.
struct LossScaleOptimizerOptions {
  /// The first scale.
  double initial_scale = 32768;
  /// So many steps in a row without an overflow double the scale.
  int64_t dynamic_growth_steps = 2000;
  /// The scale is halved no further; 0: without end. Keras has no such limit.
  double minimum_scale = 0;
  /// Empty: numbered, from the class's name in snake case.
  std::string name = {};

  /// Calls v(key, value) for each option.
  template <class V>
  void visit(V&& v) const {
    v("initial_scale", initial_scale);
    v("dynamic_growth_steps", dynamic_growth_steps);
    v("minimum_scale", minimum_scale);
    v("name", name);
  }
};

/// Divides the gradients by the scale of the loss before the inner optimizer
/// gets them. Where one of them is not finite, on any replica, the step changes
/// nothing, iterations included, and the scale is halved.
class LossScaleOptimizer : public Optimizer {
 public:
  /// Throws: ValueError for no optimizer, or options outside their ranges.
  explicit LossScaleOptimizer(Optimizer inner_optimizer,
                              const LossScaleOptimizerOptions& options = {});

  /// The scale (float32 scalar). Throws ValueError before it is built.
  Variable dynamic_scale() const;
  /// The optimizer that it wraps.
  Optimizer inner_optimizer() const;
};
static_assert(sizeof(LossScaleOptimizer) == sizeof(Optimizer));

}  // namespace systolic::optimizers
