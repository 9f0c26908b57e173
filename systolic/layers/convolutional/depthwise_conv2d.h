// DepthwiseConv2D: filters of its own for each channel.
//
//   layers::DepthwiseConv2D(3, {.padding = "same"});
#pragma once

#include "systolic/activations/activation.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What DepthwiseConv2D can be told.
struct DepthwiseConv2DOptions {
  // Step of the window in pixels: one for both, or {height, width}.
  Extent2D strides = 1;
  // "valid": whole windows only; "same": size ceil(input / strides).
  Choice<Padding> padding = Padding::valid;
  // Filters of each channel.
  int64_t depth_multiplier = 1;
  // Where the channels are: last or axis 1.
  Choice<DataFormat> data_format = DataFormat::channels_last;
  // Distance in pixels between the elements that a filter reads.
  Extent2D dilation_rate = 1;
  // Applied to the result; unset: linear, none.
  activations::Activation activation = {};
  // Whether a bias is added.
  bool use_bias = true;
  // First values of the kernel.
  initializers::Initializer depthwise_initializer = "glorot_uniform";
  // First values of the bias.
  initializers::Initializer bias_initializer = "zeros";
  // Penalty on the kernel, added to the loss; unset: none.
  regularizers::Regularizer depthwise_regularizer = {};
  // Penalty on the bias, added to the loss; unset: none.
  regularizers::Regularizer bias_regularizer = {};
  // Penalty on the result, added to the loss; unset: none.
  regularizers::Regularizer activity_regularizer = {};
  // What the weights are kept to after each update; unset: anything.
  constraints::Constraint depthwise_constraint = {};
  constraints::Constraint bias_constraint = {};
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Whether training updates the weights.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "depthwise_conv2d".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("strides", strides);
    v("padding", padding.name());
    v("data_format", data_format.name());
    v("dilation_rate", dilation_rate);
    v("depth_multiplier", depth_multiplier);
    v("activation", activation);
    v("use_bias", use_bias);
    v("depthwise_initializer", depthwise_initializer);
    v("bias_initializer", bias_initializer);
    v("depthwise_regularizer", depthwise_regularizer);
    v("bias_regularizer", bias_regularizer);
    v("activity_regularizer", activity_regularizer);
    v("depthwise_constraint", depthwise_constraint);
    v("bias_constraint", bias_constraint);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// activation(conv(x, kernel) + bias), each channel on its own.
// Shapes: (batch, height, width, channels) -> (batch, height', width',
// channels * depth_multiplier); weights kernel (kernel_size..., channels,
// depth_multiplier) and bias. With channels_first the channels are axis 1.
class DepthwiseConv2D : public Layer {
 public:
  // Throws: ValueError unless kernel_size, strides, dilation_rate and
  // depth_multiplier are above 0, and not both strides and dilation_rate are
  // above 1.
  explicit DepthwiseConv2D(Extent2D kernel_size,
                           DepthwiseConv2DOptions options = {},
                           SourceLocation where = SourceLocation::current());

  // The weights; undefined before the layer is built, the bias also without
  // use_bias.
  Variable kernel() const;
  Variable bias() const;
};

static_assert(sizeof(DepthwiseConv2D) == sizeof(Layer));

}  // namespace systolic::layers
