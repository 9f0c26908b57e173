// Global pooling: one number for all positions of each channel.
//
//   layers::GlobalAveragePooling2D();
//   layers::GlobalMaxPooling1D({.keepdims = true});
#pragma once

#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What the global poolings can be told.
struct GlobalPoolingOptions {
  // Where the channels are: last or axis 1.
  Choice<DataFormat> data_format = DataFormat::channels_last;
  // Whether the pooled axes stay, with size 1.
  bool keepdims = false;
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The name, without "/"; empty: Keras's, as "global_average_pooling2d".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("data_format", data_format.name());
    v("keepdims", keepdims);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// The mean of each channel. Shapes: (batch, steps, channels) -> (batch,
// channels).
class GlobalAveragePooling1D : public Layer {
 public:
  explicit GlobalAveragePooling1D(GlobalPoolingOptions options = {});
};

// The mean of each channel. Shapes: (batch, height, width, channels) ->
// (batch, channels).
class GlobalAveragePooling2D : public Layer {
 public:
  explicit GlobalAveragePooling2D(GlobalPoolingOptions options = {});
};

// The largest of each channel. Shapes: (batch, steps, channels) -> (batch,
// channels).
class GlobalMaxPooling1D : public Layer {
 public:
  explicit GlobalMaxPooling1D(GlobalPoolingOptions options = {});
};

// The largest of each channel. Shapes: (batch, height, width, channels) ->
// (batch, channels).
class GlobalMaxPooling2D : public Layer {
 public:
  explicit GlobalMaxPooling2D(GlobalPoolingOptions options = {});
};

// The mean of each channel. Shapes: (batch, depth, height, width, channels) ->
// (batch, channels).
class GlobalAveragePooling3D : public Layer {
 public:
  explicit GlobalAveragePooling3D(GlobalPoolingOptions options = {});
};

// The largest of each channel. Shapes: (batch, depth, height, width, channels)
// -> (batch, channels).
class GlobalMaxPooling3D : public Layer {
 public:
  explicit GlobalMaxPooling3D(GlobalPoolingOptions options = {});
};

static_assert(sizeof(GlobalAveragePooling1D) == sizeof(Layer));

// Keras's short names.
using GlobalAvgPool1D = GlobalAveragePooling1D;
using GlobalAvgPool2D = GlobalAveragePooling2D;
using GlobalAvgPool3D = GlobalAveragePooling3D;
using GlobalMaxPool1D = GlobalMaxPooling1D;
using GlobalMaxPool2D = GlobalMaxPooling2D;
using GlobalMaxPool3D = GlobalMaxPooling3D;

}  // namespace systolic::layers
