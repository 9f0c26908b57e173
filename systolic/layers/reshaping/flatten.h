// Flatten: all axes but the batch as one.
//
//   layers::Flatten();
#pragma once

#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

struct FlattenOptions {
  Choice<DataFormat> data_format = DataFormat::channels_last;
  Shape input_shape = {};
  bool trainable = true;
  DTypePolicy dtype = {};
  std::string name = {};

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
  explicit Flatten(FlattenOptions options = {});
};

static_assert(sizeof(Flatten) == sizeof(Layer));

}  // namespace systolic::layers
