#include "systolic/layers/convolutional/conv1d.h"

#include "systolic/layers/convolutional/convolution.h"

namespace systolic::layers {

namespace {

Convolution as_convolution(int64_t filters, int64_t kernel_size,
                           const Conv1DOptions& options) {
  Convolution out = convolution_of("Conv1D", options);
  out.axes = 1;
  out.filters = filters;
  out.window.size = {1, kernel_size};
  out.window.strides = {1, options.strides};
  out.window.dilation = {1, options.dilation_rate};
  out.window.padding =
      options.padding == StepPadding::same ? Padding::same : Padding::valid;
  out.is_causal = options.padding == StepPadding::causal;
  out.groups = options.groups;
  out.kernel_initializer = options.kernel_initializer;
  out.kernel_regularizer = options.kernel_regularizer;
  out.kernel_constraint = options.kernel_constraint;
  return out;
}

}  // namespace

Conv1D::Conv1D(Dim filters, Dim kernel_size, Conv1DOptions options,
               SourceLocation where)
    : Layer(make_convolution(as_convolution(filters, kernel_size, options),
                             where)) {}

Variable Conv1D::kernel() const { return convolution_kernel(base()); }

Variable Conv1D::bias() const { return convolution_bias(base()); }

}  // namespace systolic::layers
