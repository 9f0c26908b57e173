// MaxPooling1D and AveragePooling1D: one number of each window of steps.
//
//   layers::MaxPooling1D(2);
//   layers::AveragePooling1D({.pool_size = 3, .strides = 2});
#pragma once

#include "systolic/base/dim.h"
#include "systolic/base/optional_int.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What poolings of steps can be told.
struct Pooling1DOptions {
  // Not an option: the others are given by name.
  NamedOnly named_only = {};
  // Size of the window in steps.
  int64_t pool_size = 2;
  // Step of the window; unset: as pool_size.
  OptionalInt strides = {};
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
  // The layer's name, without "/"; empty: Keras's, such as "max_pooling1d".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("pool_size", pool_size);
    v("strides", strides.value_or(pool_size));
    v("padding", padding.name());
    v("data_format", data_format.name());
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// The largest element of each window.
// Shapes: (batch, steps, channels) -> (batch, steps', channels); with
// channels_first the channels are axis 1.
class MaxPooling1D : public Layer {
 public:
  // Throws: ValueError unless pool_size and strides are above 0.
  explicit MaxPooling1D(Pooling1DOptions options = {},
                        SourceLocation where = SourceLocation::current());
  // The size, then the others.
  explicit MaxPooling1D(Dim pool_size, Pooling1DOptions options = {},
                        SourceLocation where = SourceLocation::current());
};

// The mean of each window. With padding "same"
// elements outside do not count.
// Shapes: (batch, steps, channels) -> (batch, steps', channels); with
// channels_first the channels are axis 1.
class AveragePooling1D : public Layer {
 public:
  // Throws: ValueError unless pool_size and strides are above 0.
  explicit AveragePooling1D(Pooling1DOptions options = {},
                            SourceLocation where = SourceLocation::current());
  // The size, then the others.
  explicit AveragePooling1D(Dim pool_size, Pooling1DOptions options = {},
                            SourceLocation where = SourceLocation::current());
};

static_assert(sizeof(MaxPooling1D) == sizeof(Layer));

// Keras's short names.
using MaxPool1D = MaxPooling1D;
using AvgPool1D = AveragePooling1D;

}  // namespace systolic::layers
