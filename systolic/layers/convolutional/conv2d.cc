#include "systolic/layers/convolutional/conv2d.h"

#include "systolic/layers/convolutional/convolution.h"

namespace systolic::layers {

namespace {

Convolution as_convolution(int64_t filters, const Extent2D& kernel_size,
                           const Conv2DOptions& options) {
  Convolution out = convolution_of("Conv2D", options);
  out.filters = filters;
  out.window.size = kernel_size;
  out.window.strides = options.strides;
  out.window.dilation = options.dilation_rate;
  out.window.padding = options.padding;
  out.groups = options.groups;
  out.kernel_initializer = options.kernel_initializer;
  out.kernel_regularizer = options.kernel_regularizer;
  out.kernel_constraint = options.kernel_constraint;
  return out;
}

}  // namespace

Conv2D::Conv2D(Dim filters, Extent2D kernel_size, Conv2DOptions options,
               SourceLocation where)
    : Layer(make_convolution(as_convolution(filters, kernel_size, options),
                             where)) {}

Variable Conv2D::kernel() const { return convolution_kernel(base()); }

Variable Conv2D::bias() const { return convolution_bias(base()); }

}  // namespace systolic::layers
