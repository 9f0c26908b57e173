// Dense: every output is a weighted sum of all inputs.
//
//   layers::Dense(10, {.activation = "softmax", .name = "probabilities"});
#pragma once

#include "systolic/activations/activation.h"
#include "systolic/layers/layer_base.h"

namespace systolic::layers {

struct DenseOptions {
  activations::Activation activation = {};
  bool use_bias = true;
  initializers::Initializer kernel_initializer = "glorot_uniform";
  initializers::Initializer bias_initializer = "zeros";
  regularizers::Regularizer kernel_regularizer = {};
  regularizers::Regularizer bias_regularizer = {};
  regularizers::Regularizer activity_regularizer = {};
  Shape input_shape = {};
  bool trainable = true;
  DTypePolicy dtype = {};
  std::string name = {};

  template <class V>
  void visit(V&& v) const {
    v("activation", activation);
    v("use_bias", use_bias);
    v("kernel_initializer", kernel_initializer);
    v("bias_initializer", bias_initializer);
    v("kernel_regularizer", kernel_regularizer);
    v("bias_regularizer", bias_regularizer);
    v("activity_regularizer", activity_regularizer);
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
  explicit Dense(int64_t units, DenseOptions options = {},
                 SourceLocation where = SourceLocation::current());

  // The weights; undefined before the layer is built, the bias also without
  // use_bias.
  Variable kernel() const;
  Variable bias() const;
};

static_assert(sizeof(Dense) == sizeof(Layer));

}  // namespace systolic::layers
