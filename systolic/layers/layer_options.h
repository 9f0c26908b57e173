// What a layer and its weights can be told.
//
//   LayerOptions{.input_shape = {28, 28, 1}, .name = "first"}
//   add_weight({.name = "kernel", .shape = {3, 4}});
#pragma once

#include <optional>
#include <string>

#include "systolic/constraints/constraint.h"
#include "systolic/graph/variable.h"
#include "systolic/initializers/initializer.h"
#include "systolic/layers/dtype_policy.h"
#include "systolic/regularizers/regularizer.h"

namespace systolic::layers {

// What every layer can be told.
struct LayerOptions {
  // Shape of one input; unset: known at the first call.
  Shape input_shape = {};  // without the batch
  // Whether training updates the weights.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The name, without "/"; empty: Keras's, such as "dense_1".
  std::string name = {};
  // Penalty on the result, added to the loss; unset: none.
  regularizers::Regularizer activity_regularizer = {};
};

// A weight to make. An unset shape is a scalar's; an unset initializer is
// glorot_uniform for real weights and zeros for others; an unset dtype is the
// layer's variable dtype.
struct WeightOptions {
  // Last part of the weight's path.
  std::string name = {};
  // Its shape; all sizes must be known.
  Shape shape = {};
  // Its first value.
  initializers::Initializer initializer = {};
  // The dtype in which it is kept.
  std::optional<DType> dtype = std::nullopt;
  // Whether training may update it.
  bool trainable = true;
  // Penalty on it, added to the loss; unset: none.
  regularizers::Regularizer regularizer = {};
  // What it is kept to after each update; unset: anything.
  constraints::Constraint constraint = {};
  // How its copies on replicas are kept in step.
  VariableSynchronization synchronization = VariableSynchronization::automatic;
  // How updates from replicas are combined.
  VariableAggregation aggregation = VariableAggregation::none;
};

}  // namespace systolic::layers
