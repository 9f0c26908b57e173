// Activation layers: Activation, ReLU, Softmax.
//
//   layers::Activation("tanh");
//   layers::ReLU({.negative_slope = 0.1});
#pragma once

#include <optional>

#include "systolic/activations/activation.h"
#include "systolic/layers/layer_base.h"

namespace systolic::layers {

struct ActivationOptions {
  regularizers::Regularizer activity_regularizer = {};
  Shape input_shape = {};
  bool trainable = true;
  DTypePolicy dtype = {};
  std::string name = {};

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
  explicit Activation(activations::Activation activation,
                      ActivationOptions options = {});
};

struct ReLUOptions {
  std::optional<double> max_value = std::nullopt;
  double negative_slope = 0.0;
  double threshold = 0.0;
  Shape input_shape = {};
  bool trainable = true;
  DTypePolicy dtype = {};
  std::string name = {};

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

struct SoftmaxOptions {
  int axis = -1;
  Shape input_shape = {};
  bool trainable = true;
  DTypePolicy dtype = {};
  std::string name = {};

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
  explicit Softmax(SoftmaxOptions options = {});
};

static_assert(sizeof(Activation) == sizeof(Layer) &&
              sizeof(ReLU) == sizeof(Layer) &&
              sizeof(Softmax) == sizeof(Layer));

}  // namespace systolic::layers
