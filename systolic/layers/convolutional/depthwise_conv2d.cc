#include "systolic/layers/convolutional/depthwise_conv2d.h"

#include "systolic/layers/convolutional/convolution.h"

namespace systolic::layers {

namespace {

Convolution as_convolution(const Extent2D& kernel_size,
                           const DepthwiseConv2DOptions& options) {
  Convolution out = convolution_of("DepthwiseConv2D", options);
  out.filters = options.depth_multiplier;
  out.is_depthwise = true;
  out.window.size = kernel_size;
  out.window.strides = options.strides;
  out.window.dilation = options.dilation_rate;
  out.window.padding = options.padding;
  out.kernel_initializer = options.depthwise_initializer;
  out.kernel_regularizer = options.depthwise_regularizer;
  out.kernel_constraint = options.depthwise_constraint;
  return out;
}

}  // namespace

DepthwiseConv2D::DepthwiseConv2D(Extent2D kernel_size,
                                 DepthwiseConv2DOptions options,
                                 SourceLocation where)
    : Layer(make_convolution(as_convolution(kernel_size, options), where)) {}

Variable DepthwiseConv2D::kernel() const { return convolution_kernel(base()); }

Variable DepthwiseConv2D::bias() const { return convolution_bias(base()); }

}  // namespace systolic::layers
