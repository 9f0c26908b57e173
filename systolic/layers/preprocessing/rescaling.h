// Rescaling: x * scale + offset.
//
//   layers::Rescaling(1.0 / 255);
#pragma once

#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What Rescaling can be told.
struct RescalingOptions {
  // Added to the product.
  double offset = 0.0;
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "rescaling".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("offset", offset);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// x * scale + offset in the compute dtype. Shapes: any -> same.
class Rescaling : public Layer {
 public:
  explicit Rescaling(double scale, RescalingOptions options = {});
};

static_assert(sizeof(Rescaling) == sizeof(Layer));

}  // namespace systolic::layers
