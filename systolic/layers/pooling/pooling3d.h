// MaxPooling3D and AveragePooling3D: one number of each window of volumes.
//
//   layers::MaxPooling3D(2);
//   layers::AveragePooling3D({.pool_size = 3, .strides = 2});
#pragma once

#include "systolic/base/optional_int.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What poolings of volumes can be told.
struct Pooling3DOptions {
  // Not an option: the others are given by name.
  NamedOnly named_only = {};
  // Size of the window: one for all axes, or {depth, height, width}.
  Extent3D pool_size = 2;
  // Step of the window; unset: as pool_size.
  Extent3D strides = {};
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
  // The layer's name, without "/"; empty: Keras's, such as "max_pooling3d".
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

// The largest element of each window.
// Shapes: (batch, depth, height, width, channels) -> (batch, depth', height',
// width', channels); with channels_first the channels are axis 1.
class MaxPooling3D : public Layer {
 public:
  // Throws: ValueError unless pool_size and strides are above 0.
  explicit MaxPooling3D(Pooling3DOptions options = {},
                        SourceLocation where = SourceLocation::current());
  // The size, then the others.
  explicit MaxPooling3D(Extent3D pool_size, Pooling3DOptions options = {},
                        SourceLocation where = SourceLocation::current());
};

// The mean of each window. With padding "same"
// elements outside do not count.
// Shapes: (batch, depth, height, width, channels) -> (batch, depth', height',
// width', channels); with channels_first the channels are axis 1.
class AveragePooling3D : public Layer {
 public:
  // Throws: ValueError unless pool_size and strides are above 0.
  explicit AveragePooling3D(Pooling3DOptions options = {},
                            SourceLocation where = SourceLocation::current());
  // The size, then the others.
  explicit AveragePooling3D(Extent3D pool_size, Pooling3DOptions options = {},
                            SourceLocation where = SourceLocation::current());
};

static_assert(sizeof(MaxPooling3D) == sizeof(Layer));

// Keras's short names.
using MaxPool3D = MaxPooling3D;
using AvgPool3D = AveragePooling3D;

}  // namespace systolic::layers
