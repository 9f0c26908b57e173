// MaxPooling2D: the largest element of each window of an image.
//
//   layers::MaxPooling2D();                   // 2x2, side by side
//   layers::MaxPooling2D({2, 3}, {.strides = 2});
#pragma once

#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

struct MaxPooling2DOptions {
  NamedOnly named_only = {};
  Extent2D pool_size = 2;
  Extent2D strides = {};  // unset: as pool_size
  Choice<Padding> padding = Padding::valid;
  Choice<DataFormat> data_format = DataFormat::channels_last;
  Shape input_shape = {};
  bool trainable = true;
  DTypePolicy dtype = {};
  std::string name = {};

  template <class V>
  void visit(V&& v) const {
    v("pool_size", pool_size);
    v("strides", strides.is_set() ? strides : pool_size);
    v("padding", padding.name());
    v("data_format", data_format.name());
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// Shapes: (batch, height, width, channels) -> (batch, height', width',
// channels). With channels_first the channels are axis 1.
class MaxPooling2D : public Layer {
 public:
  // Throws: ValueError unless pool_size and strides are above 0.
  explicit MaxPooling2D(MaxPooling2DOptions options = {},
                        SourceLocation where = SourceLocation::current());
  // One size for both axes, or {height, width}.
  explicit MaxPooling2D(Extent2D pool_size, MaxPooling2DOptions options = {},
                        SourceLocation where = SourceLocation::current());
};

static_assert(sizeof(MaxPooling2D) == sizeof(Layer));

// Keras's short name.
using MaxPool2D = MaxPooling2D;

}  // namespace systolic::layers
