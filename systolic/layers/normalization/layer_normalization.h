// Normalization of each row by itself: LayerNormalization, RMSNormalization,
// GroupNormalization.
//
//   layers::LayerNormalization({.epsilon = 1e-6});
//
// Ba et al. 2016; Zhang and Sennrich 2019; Wu and He 2018.
#pragma once

#include "systolic/array/axes.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What LayerNormalization can be told.
struct LayerNormalizationOptions {
  // The axes that are normalized together; -1: the last.
  Axes axis = -1;
  // Added to the variance.
  double epsilon = 1e-3;
  // Whether beta is added.
  bool center = true;
  // Whether the result is multiplied by gamma.
  bool scale = true;
  // First values of the weights.
  initializers::Initializer beta_initializer = "zeros";
  initializers::Initializer gamma_initializer = "ones";
  // Penalties on the weights, added to the loss; unset: none.
  regularizers::Regularizer beta_regularizer = {};
  regularizers::Regularizer gamma_regularizer = {};
  // What the weights are kept to after each update; unset: anything.
  constraints::Constraint beta_constraint = {};
  constraints::Constraint gamma_constraint = {};
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Whether training updates the weights.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as
  // "layer_normalization".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("axis", axis);
    v("epsilon", epsilon);
    v("center", center);
    v("scale", scale);
    v("beta_initializer", beta_initializer);
    v("gamma_initializer", gamma_initializer);
    v("beta_regularizer", beta_regularizer);
    v("gamma_regularizer", gamma_regularizer);
    v("beta_constraint", beta_constraint);
    v("gamma_constraint", gamma_constraint);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// (x - mean) / sqrt(variance + epsilon) * gamma + beta over the axes, computed
// in float32. Shapes: any -> same; weights gamma and beta of the sizes of the
// axes.
class LayerNormalization : public Layer {
 public:
  // The call throws OutOfRangeError for an axis that the input does not have.
  explicit LayerNormalization(LayerNormalizationOptions options = {},
                              SourceLocation where = SourceLocation::current());
};

// What RMSNormalization can be told.
struct RMSNormalizationOptions {
  // The axes that are normalized together; -1: the last.
  Axes axis = -1;
  // Added to the mean square.
  double epsilon = 1e-6;
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Whether training updates the weights.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "rms_normalization".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("axis", axis);
    v("epsilon", epsilon);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// x / sqrt(mean square + epsilon) * scale over the axes, computed in float32.
// Shapes: any -> same; weight scale of the sizes of the axes.
class RMSNormalization : public Layer {
 public:
  // The call throws OutOfRangeError for an axis that the input does not have.
  explicit RMSNormalization(RMSNormalizationOptions options = {},
                            SourceLocation where = SourceLocation::current());
};

// What GroupNormalization can be told.
struct GroupNormalizationOptions {
  // Number of groups of the channels; -1: one for each channel.
  int64_t groups = 32;
  // The axis of the channels; -1: the last.
  int axis = -1;
  // Added to the variance.
  double epsilon = 1e-3;
  // Whether beta is added.
  bool center = true;
  // Whether the result is multiplied by gamma.
  bool scale = true;
  // First values of the weights.
  initializers::Initializer beta_initializer = "zeros";
  initializers::Initializer gamma_initializer = "ones";
  // Penalties on the weights, added to the loss; unset: none.
  regularizers::Regularizer beta_regularizer = {};
  regularizers::Regularizer gamma_regularizer = {};
  // What the weights are kept to after each update; unset: anything.
  constraints::Constraint beta_constraint = {};
  constraints::Constraint gamma_constraint = {};
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Whether training updates the weights.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as
  // "group_normalization".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("groups", groups);
    v("axis", axis);
    v("epsilon", epsilon);
    v("center", center);
    v("scale", scale);
    v("beta_initializer", beta_initializer);
    v("gamma_initializer", gamma_initializer);
    v("beta_regularizer", beta_regularizer);
    v("gamma_regularizer", gamma_regularizer);
    v("beta_constraint", beta_constraint);
    v("gamma_constraint", gamma_constraint);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// LayerNormalization over all positions and each group of channels.
// Shapes: any of rank >= 2 -> same; weights gamma and beta (channels).
class GroupNormalization : public Layer {
 public:
  // The call throws ShapeError unless the groups divide the channels.
  explicit GroupNormalization(GroupNormalizationOptions options = {},
                              SourceLocation where = SourceLocation::current());
};

static_assert(sizeof(LayerNormalization) == sizeof(Layer));

}  // namespace systolic::layers
