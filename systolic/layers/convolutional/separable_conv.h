// SeparableConv1D and SeparableConv2D: filters of each channel by itself, then
// a mixture of the channels at each place.
//
//   layers::SeparableConv2D(64, 3, {.padding = "same", .activation = "relu"});
//
// Chollet 2016.
#pragma once

#include "systolic/activations/activation.h"
#include "systolic/base/dim.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What separable convolutions can be told; Sizes is int64_t or Extent2D.
template <class Sizes>
struct SeparableConvOptions {
  // Step of the window.
  Sizes strides = 1;
  // "valid": whole windows only; "same": size ceil(input / strides).
  Choice<Padding> padding = Padding::valid;
  // Where the channels are: last or axis 1.
  Choice<DataFormat> data_format = DataFormat::channels_last;
  // Distance between the elements that a filter reads.
  Sizes dilation_rate = 1;
  // Filters of each channel.
  int64_t depth_multiplier = 1;
  // Applied to the result; unset: linear, none.
  activations::Activation activation = {};
  // Whether a bias is added.
  bool use_bias = true;
  // First values of the weights.
  initializers::Initializer depthwise_initializer = "glorot_uniform";
  initializers::Initializer pointwise_initializer = "glorot_uniform";
  initializers::Initializer bias_initializer = "zeros";
  // Penalties, added to the loss; unset: none.
  regularizers::Regularizer depthwise_regularizer = {};
  regularizers::Regularizer pointwise_regularizer = {};
  regularizers::Regularizer bias_regularizer = {};
  regularizers::Regularizer activity_regularizer = {};
  // What the weights are kept to after each update; unset: anything.
  constraints::Constraint depthwise_constraint = {};
  constraints::Constraint pointwise_constraint = {};
  constraints::Constraint bias_constraint = {};
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Whether training updates the weights.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "separable_conv2d".
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
    v("pointwise_initializer", pointwise_initializer);
    v("bias_initializer", bias_initializer);
    v("depthwise_regularizer", depthwise_regularizer);
    v("pointwise_regularizer", pointwise_regularizer);
    v("bias_regularizer", bias_regularizer);
    v("activity_regularizer", activity_regularizer);
    v("depthwise_constraint", depthwise_constraint);
    v("pointwise_constraint", pointwise_constraint);
    v("bias_constraint", bias_constraint);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

using SeparableConv1DOptions = SeparableConvOptions<int64_t>;
using SeparableConv2DOptions = SeparableConvOptions<Extent2D>;

// activation(separable_conv(x) + bias).
// Shapes: (batch, steps, channels) -> (batch, steps', filters); weights
// depthwise_kernel (kernel_size, channels, depth_multiplier), pointwise_kernel
// (1, channels * depth_multiplier, filters) and bias (filters). With
// channels_first the channels are axis 1.
class SeparableConv1D : public Layer {
 public:
  // Throws: ValueError unless filters, kernel_size, strides, dilation_rate and
  // depth_multiplier are above 0, and not both strides and dilation_rate are
  // above 1.
  SeparableConv1D(Dim filters, Dim kernel_size,
                  SeparableConv1DOptions options = {},
                  SourceLocation where = SourceLocation::current());
};

// The same for images: (batch, height, width, channels) -> (batch, height',
// width', filters); kernels (kernel_size..., channels, depth_multiplier) and
// (1, 1, channels * depth_multiplier, filters).
class SeparableConv2D : public Layer {
 public:
  // Throws: as SeparableConv1D.
  SeparableConv2D(Dim filters, Extent2D kernel_size,
                  SeparableConv2DOptions options = {},
                  SourceLocation where = SourceLocation::current());
};

static_assert(sizeof(SeparableConv1D) == sizeof(Layer));

// Keras's long names.
using SeparableConvolution1D = SeparableConv1D;
using SeparableConvolution2D = SeparableConv2D;

}  // namespace systolic::layers
