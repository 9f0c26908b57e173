// Masking: steps whose elements all are one value do not count.
//
//   layers::Masking(0.0);
#pragma once

#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What Masking can be told.
struct MaskingOptions {
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "masking".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// Such steps become zeros, and false in the mask of the result. Shapes: (batch,
// steps, features) -> same; mask (batch, steps).
class Masking : public Layer {
 public:
  explicit Masking(double mask_value = 0.0, MaskingOptions options = {});
};

static_assert(sizeof(Masking) == sizeof(Layer));

}  // namespace systolic::layers
