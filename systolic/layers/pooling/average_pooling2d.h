// AveragePooling2D: the mean of each window of an image.
//
//   layers::AveragePooling2D();                   // 2x2, side by side
//   layers::AveragePooling2D({2, 3}, {.strides = 2});
#pragma once

#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What AveragePooling2D can be told.
struct AveragePooling2DOptions {
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
  // The layer's name, without "/"; empty: Keras's, such as "average_pooling2d".
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

// With padding "same" elements outside the image do not count.
// Shapes: (batch, height, width, channels) -> (batch, height', width',
// channels). With channels_first the channels are axis 1.
class AveragePooling2D : public Layer {
 public:
  // Throws: ValueError unless pool_size and strides are above 0.
  explicit AveragePooling2D(AveragePooling2DOptions options = {},
                            SourceLocation where = SourceLocation::current());
  // One size for both axes, or {height, width}.
  explicit AveragePooling2D(Extent2D pool_size,
                            AveragePooling2DOptions options = {},
                            SourceLocation where = SourceLocation::current());
};

static_assert(sizeof(AveragePooling2D) == sizeof(Layer));

// Keras's short name.
using AvgPool2D = AveragePooling2D;

}  // namespace systolic::layers
