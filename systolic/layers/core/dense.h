// Dense: every output is a weighted sum of all inputs.
//
//   layers::Dense(10, {.activation = "softmax", .name = "probabilities"});
#pragma once

#include "systolic/activations/activation.h"
#include "systolic/base/dim.h"
#include "systolic/layers/layer_base.h"

namespace systolic::layers {

// What Dense can be told.
struct DenseOptions {
  // Applied to the result; unset: linear, none.
  activations::Activation activation = {};
  // Whether a bias is added.
  bool use_bias = true;
  // First values of the kernel.
  initializers::Initializer kernel_initializer = "glorot_uniform";
  // First values of the bias.
  initializers::Initializer bias_initializer = "zeros";
  // Penalty on the kernel, added to the loss; unset: none.
  regularizers::Regularizer kernel_regularizer = {};
  // Penalty on the bias, added to the loss; unset: none.
  regularizers::Regularizer bias_regularizer = {};
  // Penalty on the result, added to the loss; unset: none.
  regularizers::Regularizer activity_regularizer = {};
  // What the weights are kept to after each update; unset: anything.
  constraints::Constraint kernel_constraint = {};
  constraints::Constraint bias_constraint = {};
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Whether training updates the weights.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "dense".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("activation", activation);
    v("use_bias", use_bias);
    v("kernel_initializer", kernel_initializer);
    v("bias_initializer", bias_initializer);
    v("kernel_regularizer", kernel_regularizer);
    v("bias_regularizer", bias_regularizer);
    v("activity_regularizer", activity_regularizer);
    v("kernel_constraint", kernel_constraint);
    v("bias_constraint", bias_constraint);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// activation(x . kernel + bias) over the last axis.
// Shapes: (batch, ..., in) -> (batch, ..., units); weights kernel (in, units)
// and bias (units).
class Dense : public Layer {
 public:
  // Throws: ValueError unless units > 0.
  explicit Dense(Dim units, DenseOptions options = {},
                 SourceLocation where = SourceLocation::current());

  // The weights; undefined before the layer is built, the bias also without
  // use_bias.
  Variable kernel() const;
  Variable bias() const;
};

static_assert(sizeof(Dense) == sizeof(Layer));

}  // namespace systolic::layers
