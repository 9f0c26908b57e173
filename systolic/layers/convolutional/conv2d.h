// Conv2D: learned filters moved over images.
//
//   layers::Conv2D(32, 3, {.activation = "relu", .input_shape = {28, 28, 1}});
//   layers::Conv2D(64, {3, 5}, {.strides = 2, .padding = "same"});
#pragma once

#include "systolic/activations/activation.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

struct Conv2DOptions {
  Extent2D strides = 1;
  Choice<Padding> padding = Padding::valid;
  Choice<DataFormat> data_format = DataFormat::channels_last;
  Extent2D dilation_rate = 1;
  int64_t groups = 1;
  activations::Activation activation = {};
  bool use_bias = true;
  initializers::Initializer kernel_initializer = "glorot_uniform";
  initializers::Initializer bias_initializer = "zeros";
  regularizers::Regularizer kernel_regularizer = {};
  regularizers::Regularizer bias_regularizer = {};
  regularizers::Regularizer activity_regularizer = {};
  Shape input_shape = {};
  bool trainable = true;
  DTypePolicy dtype = {};
  std::string name = {};

  template <class V>
  void visit(V&& v) const {
    v("strides", strides);
    v("padding", padding.name());
    v("data_format", data_format.name());
    v("dilation_rate", dilation_rate);
    v("groups", groups);
    v("activation", activation);
    v("use_bias", use_bias);
    v("kernel_initializer", kernel_initializer);
    v("bias_initializer", bias_initializer);
    v("kernel_regularizer", kernel_regularizer);
    v("bias_regularizer", bias_regularizer);
    v("activity_regularizer", activity_regularizer);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// activation(conv(x, kernel) + bias).
// Shapes: (batch, height, width, channels) -> (batch, height', width',
// filters); weights kernel (kernel_size..., channels / groups, filters) and
// bias (filters). With channels_first the channels are axis 1.
class Conv2D : public Layer {
 public:
  // Throws: ValueError unless filters, kernel_size, strides, dilation_rate
  // and groups are above 0, groups divide filters, and not both strides and
  // dilation_rate are above 1.
  Conv2D(int64_t filters, Extent2D kernel_size, Conv2DOptions options = {},
         SourceLocation where = SourceLocation::current());

  // The weights; undefined before the layer is built, the bias also without
  // use_bias.
  Variable kernel() const;
  Variable bias() const;
};

static_assert(sizeof(Conv2D) == sizeof(Layer));

}  // namespace systolic::layers
