// Flatten: all axes but the batch as one.
//
//   layers::Flatten();
#pragma once

#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What Flatten can be told.
struct FlattenOptions {
  // Where the channels are: last or axis 1.
  Choice<DataFormat> data_format = DataFormat::channels_last;
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "flatten".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("data_format", data_format.name());
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// Shapes: (batch, a, b, ...) -> (batch, a * b * ...); (batch) -> (batch, 1).
// With channels_first axis 1 is moved to the end before.
class Flatten : public Layer {
 public:
  // From the layer's options. Throws: ValueError where its name has "/".
  explicit Flatten(FlattenOptions options = {});
};

static_assert(sizeof(Flatten) == sizeof(Layer));

}  // namespace systolic::layers
