// BatchNormalization: each channel scaled to mean 0 and variance 1.
//
//   layers::BatchNormalization({.momentum = 0.9, .synchronized = true});
//
// Ioffe and Szegedy 2015.
#pragma once

#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What BatchNormalization can be told.
struct BatchNormalizationOptions {
  // The axis of the channels; -1: the last.
  int axis = -1;
  // How much the moving statistics keep in each step.
  double momentum = 0.99;
  // Added to the variance.
  double epsilon = 1e-3;
  // Whether beta is added.
  bool center = true;
  // Whether the result is multiplied by gamma.
  bool scale = true;
  // First values of the weights.
  initializers::Initializer beta_initializer = "zeros";
  initializers::Initializer gamma_initializer = "ones";
  initializers::Initializer moving_mean_initializer = "zeros";
  initializers::Initializer moving_variance_initializer = "ones";
  // Penalties on the weights, added to the loss; unset: none.
  regularizers::Regularizer beta_regularizer = {};
  regularizers::Regularizer gamma_regularizer = {};
  // What the weights are kept to after each update; unset: anything.
  constraints::Constraint beta_constraint = {};
  constraints::Constraint gamma_constraint = {};
  // Whether all replicas' rows are normalized by the statistics of them all;
  // else each replica's by its own.
  bool synchronized = false;
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Whether training updates the weights.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as
  // "batch_normalization".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("axis", axis);
    v("momentum", momentum);
    v("epsilon", epsilon);
    v("center", center);
    v("scale", scale);
    v("beta_initializer", beta_initializer);
    v("gamma_initializer", gamma_initializer);
    v("moving_mean_initializer", moving_mean_initializer);
    v("moving_variance_initializer", moving_variance_initializer);
    v("beta_regularizer", beta_regularizer);
    v("gamma_regularizer", gamma_regularizer);
    v("beta_constraint", beta_constraint);
    v("gamma_constraint", gamma_constraint);
    v("synchronized", synchronized);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// (x - mean) / sqrt(variance + epsilon) * gamma + beta, computed in float32.
// In training mean and variance are those of the batch, of its real rows where
// it is filled up (valid_rows()), and the moving statistics move towards them;
// else, or where the layer is not trainable, they are the moving statistics.
// Those are the same on all replicas: replicas count by their rows. Mean and
// variance come of one pass over distances to the moving mean: see
// docs/design/0037.
// Shapes: any with the axis -> same; weights gamma, beta, moving_mean,
// moving_variance (channels).
class BatchNormalization : public Layer {
 public:
  // Throws: ValueError unless momentum is in 0 ... 1 and epsilon >= 0.
  explicit BatchNormalization(BatchNormalizationOptions options = {},
                              SourceLocation where = SourceLocation::current());
};

static_assert(sizeof(BatchNormalization) == sizeof(Layer));

}  // namespace systolic::layers
