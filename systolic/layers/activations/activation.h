// Activation layers: Activation, ReLU, LeakyReLU, ELU, Softmax.
//
//   layers::Activation("tanh");
//   layers::ReLU({.negative_slope = 0.1});
#pragma once

#include <optional>

#include "systolic/activations/activation.h"
#include "systolic/layers/layer_base.h"

namespace systolic::layers {

// What Activation can be told.
struct ActivationOptions {
  // Penalty on the result, added to the loss; unset: none.
  regularizers::Regularizer activity_regularizer = {};
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "activation".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("activity_regularizer", activity_regularizer);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// The activation of x. Shapes: any -> same.
class Activation : public Layer {
 public:
  // By name, such as "tanh", or a function x -> y.
  explicit Activation(activations::Activation activation,
                      ActivationOptions options = {});
};

// What ReLU can be told.
struct ReLUOptions {
  // Largest result; unset: no limit.
  std::optional<double> max_value = std::nullopt;
  // Slope below the threshold.
  double negative_slope = 0.0;
  // Where the result starts to be x.
  double threshold = 0.0;
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "re_lu".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("max_value", max_value);
    v("negative_slope", negative_slope);
    v("threshold", threshold);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// activations::relu of x. Shapes: any -> same.
class ReLU : public Layer {
 public:
  // Throws: ValueError unless all three are at least 0.
  explicit ReLU(ReLUOptions options = {},
                SourceLocation where = SourceLocation::current());
};

// What LeakyReLU can be told.
struct LeakyReLUOptions {
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "leaky_re_lu".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// x where positive, else negative_slope * x. Shapes: any -> same.
class LeakyReLU : public Layer {
 public:
  // Throws: ValueError unless negative_slope is at least 0.
  explicit LeakyReLU(double negative_slope = 0.3, LeakyReLUOptions options = {},
                     SourceLocation where = SourceLocation::current());
};

// What ELU can be told.
struct ELUOptions {
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "elu".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// x where positive, else alpha * (exp(x) - 1). Shapes: any -> same.
class ELU : public Layer {
 public:
  explicit ELU(double alpha = 1.0, ELUOptions options = {});
};

// What Softmax can be told.
struct SoftmaxOptions {
  // Axis along which the results sum to 1; -1: the last.
  int axis = -1;
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "softmax".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("axis", axis);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// exp(x) over its sum along the axis. Shapes: any -> same.
class Softmax : public Layer {
 public:
  // Softmax along options.axis.
  explicit Softmax(SoftmaxOptions options = {});
};

static_assert(sizeof(Activation) == sizeof(Layer) &&
              sizeof(ReLU) == sizeof(Layer) &&
              sizeof(Softmax) == sizeof(Layer));

}  // namespace systolic::layers
