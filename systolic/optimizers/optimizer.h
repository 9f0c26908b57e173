// Optimizer: changes variables by their gradients.
//
//   optimizers::Optimizer optimizer = optimizers::SGD(0.1);
//   optimizer.apply(tape.gradient(loss, variables), variables);
//
// A handle: copies share the state (iterations, learning rate, slots). Your
// own: derive from OptimizerBase (optimizer_base.h).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "systolic/graph/tensor.h"
#include "systolic/graph/variable.h"
#include "systolic/optimizers/rate.h"

namespace systolic::optimizers {

class OptimizerBase;

/// Which variables weight decay leaves alone.
struct WeightDecayExclusions {
  std::vector<Variable> var_list = {};
  /// Regular expressions, looked for in the variables' names.
  std::vector<std::string> var_names = {};
};

class Optimizer {
 public:
  /// No optimizer; only assignment and is_defined() are allowed.
  Optimizer() = default;

  /// A handle on an object of one's own. An object without a name gets one.
  explicit Optimizer(std::shared_ptr<OptimizerBase> base);

  bool is_defined() const { return base_ != nullptr; }

  /// Makes the state for these variables; apply does it if need be.
  void build(const std::vector<Variable>& variables) const;

  /// Updates each variable by its gradient and counts an iteration. An
  /// undefined gradient leaves its variable as it is, with a warning. In a
  /// replicated step the gradients are those of the replica's own loss: they
  /// are added up over the replicas first.
  /// Throws: ValueError where no gradient is defined, the lists differ in
  /// length, or a variable is not one it was built with; ShapeError; TypeError
  /// for a variable of integers.
  void apply(const std::vector<Tensor>& grads,
             const std::vector<Variable>& trainable_variables) const;

  /// The same for the variables it was built with.
  void apply(const std::vector<Tensor>& grads) const;

  /// The same for pairs; returns iterations().
  Variable apply_gradients(
      const std::vector<std::pair<Tensor, Variable>>& grads_and_vars) const;

  /// The number of updates so far (int32 scalar).
  Variable iterations() const;

  /// The learning rate (float32 scalar): state, so that a new value needs no
  /// new program. With a schedule it is a copy of what that gives for
  /// iterations(), made when asked for.
  Variable learning_rate() const;
  /// Throws: ValueError for a number below 0 or not finite, TypeError where
  /// there is a schedule.
  void set_learning_rate(double learning_rate) const;

  /// Weight decay leaves these alone. Throws ValueError once it is built.
  void exclude_from_weight_decay(const WeightDecayExclusions& which) const;

  /// The loss times loss_scale_factor (or the dynamic scale), of which the
  /// gradients are to be taken; apply divides them again.
  Tensor scale_loss(const Tensor& loss) const;

  /// With use_ema: the variables become their averages; a training ends so.
  void finalize_variable_values(const std::vector<Variable>& variables) const;

  const std::string& name() const;

  /// All state: iterations, learning rate, then the slots.
  std::vector<Variable> variables() const;

  /// The object behind the handle. Throws ValueError for no optimizer.
  OptimizerBase& base() const;

 private:
  std::shared_ptr<OptimizerBase> base_;
};

}  // namespace systolic::optimizers
