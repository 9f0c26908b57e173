// MaxPooling2D: the largest element of each window of an image.
//
//   layers::MaxPooling2D();                   // 2x2, side by side
//   layers::MaxPooling2D({2, 3}, {.strides = 2});
#pragma once

#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What MaxPooling2D can be told.
struct MaxPooling2DOptions {
  // Not an option: the others are given by name.
  NamedOnly named_only = {};
  // Size of the window in pixels: one for both, or {height, width}.
  Extent2D pool_size = 2;
  // Step of the window in pixels.
  Extent2D strides = {};  // unset: as pool_size
  // "valid": whole windows only; "same": size ceil(input / strides).
  Choice<Padding> padding = Padding::valid;
  // Where the channels are: last or axis 1.
  Choice<DataFormat> data_format = DataFormat::channels_last;
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "max_pooling2d".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
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
