// Convolutions made of the one of conv.cc: of each channel by itself,
// transposed, and what all share.
// Tested by: systolic/ops/conv_platform_test.cc
#include <algorithm>

#include "systolic/graph/intrinsics.h"
#include "systolic/ops/conv.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/rearrange.h"

namespace systolic {

namespace internal::ops {

Message conv_error(std::string_view who, const Tensor& x, const Tensor& w,
                   const SourceLocation& where) {
  Message message{std::string(who)};
  message.detail("input", x.spec()).detail("kernel", w.spec()).at(where);
  return message;
}

// Images of floating-point numbers, a kernel of their rank, and for each
// spatial axis a stride and a dilation.
void check_images(std::string_view who, const Tensor& x, const Tensor& w,
                  const nn::PerAxis& strides, const nn::PerAxis& dilation,
                  const SourceLocation& where) {
  if (x.rank() != w.rank() || x.rank() < 3 || x.rank() > 5) {
    conv_error(who, x, w, where)
        .expected("an input and a kernel of one rank: 3, 4 or 5")
        .got("ranks ", x.rank(), " and ", w.rank())
        .hint(
            "images are (batch, height, width, channels); kernels (height, "
            "width, channels in, channels out)")
        .raise<ShapeError>();
  }
  if (!is_floating(x.dtype())) {
    conv_error(who, x, w, where)
        .expected("floating-point images")
        .got(x.dtype())
        .hint("cast<float>(x) / 255.f")
        .raise<TypeError>();
  }
  const int axes = x.rank() - 2;
  if (!strides.fits(axes) || !dilation.fits(axes)) {
    conv_error(who, x, w, where)
        .expected("one stride and one dilation, or one for each of ", axes,
                  " axes")
        .got(strides.size(), " and ", dilation.size())
        .raise<ValueError>();
  }
}

// An axis of size 1 in front of the only spatial one: our kernels and the
// plugins are fast with two.
Tensor widened(const Tensor& x, int axis, const SourceLocation& where) {
  return x.rank() == 3 ? expand_dims(Arg(x, where), axis) : x;
}

void widen(ConvWindow& window) {
  if (window.strides.size() != 1) return;
  ConvWindow wide;
  wide.push_back(WindowAxis{});
  wide.push_back(window.axis(0));
  window = wide;
}

Tensor channels_last(const Tensor& x, DataFormat format,
                     const SourceLocation& where) {
  return format == DataFormat::channels_last || x.rank() < 3
             ? x
             : moveaxis(Arg(x, where), 1, -1);
}

Tensor in_format(const Tensor& y, DataFormat format,
                 const SourceLocation& where) {
  return format == DataFormat::channels_last ? y
                                             : moveaxis(Arg(y, where), -1, 1);
}

}  // namespace internal::ops

using namespace internal::ops;

namespace {

// The size whose convolution has `size` elements, as Keras's conv_transpose
// has it.
int64_t transposed_size(int64_t size, int64_t window, int64_t stride,
                        int64_t dilation, Padding padding,
                        std::optional<int64_t> output_padding) {
  const int64_t reach = (window - 1) * dilation + 1;
  if (!output_padding) {
    return padding == Padding::same
               ? size * stride
               : size * stride + std::max<int64_t>(reach - stride, 0);
  }
  const int64_t window_part = padding == Padding::same ? reach % 2 : reach;
  return (size - 1) * stride + window_part + *output_padding;
}

// `kernel` (k..., c, m) as that of a convolution in c groups.
Tensor grouped(const Tensor& kernel, const SourceLocation& where) {
  Shape shape = kernel.shape();
  shape.set(-1, shape[-2] * shape[-1]);
  shape.set(-2, 1);
  return reshape(Arg(kernel, where), shape);
}

}  // namespace

Tensor nn::depthwise_conv(const Arg& x, const Arg& kernel,
                          const DepthwiseConvOptions& options) {
  const Tensor in = x.tensor(), w = kernel.tensor();
  check_images("depthwise_conv", in, w, options.strides, options.dilation_rate,
               x.where());
  const int channels =
      options.data_format == DataFormat::channels_last ? -1 : 1;
  if (in.shape()[channels] != w.shape()[-2]) {
    conv_error("depthwise_conv", in, w, x.where())
        .expected("a kernel for ", in.shape()[channels], " channels")
        .got(w.shape()[-2])
        .raise<ShapeError>();
  }
  return conv(Arg(in, x.where()), grouped(w, x.where()),
              {.strides = options.strides,
               .padding = options.padding,
               .dilation_rate = options.dilation_rate,
               .groups = w.shape()[-2],
               .data_format = options.data_format});
}

Tensor nn::separable_conv(const Arg& x, const Arg& depthwise_kernel,
                          const Arg& pointwise_kernel,
                          const DepthwiseConvOptions& options) {
  const Tensor each = depthwise_conv(x, depthwise_kernel, options);
  return conv(Arg(each, x.where()), pointwise_kernel,
              {.data_format = options.data_format});
}

Tensor nn::conv_transpose(const Arg& x, const Arg& kernel,
                          const ConvTransposeOptions& options) {
  auto [in, w] = internal::graph::promote_operands(x, kernel);
  const SourceLocation& where = x.where();
  in = channels_last(in, options.data_format, where);
  check_images("conv_transpose", in, w, options.strides, options.dilation_rate,
               where);
  if (in.shape()[-1] != w.shape()[-1]) {
    conv_error("conv_transpose", in, w, where)
        .expected("a kernel (..., filters, ", in.shape()[-1], ")")
        .got(w.shape())
        .raise<ShapeError>();
  }
  ConvWindow window;
  Shape shape = in.shape();
  shape.set(-1, w.shape()[-2]);
  for (int i = 0; i < in.rank() - 2; ++i) {
    const int64_t size = in.shape()[i + 1], extent = w.shape()[i];
    const int64_t stride = options.strides[i];
    const int64_t dilation = options.dilation_rate[i];
    std::optional<int64_t> extra;
    if (options.output_padding) extra = (*options.output_padding)[i];
    const int64_t result =
        transposed_size(size, extent, stride, dilation, options.padding, extra);
    const WindowAxis axis =
        window_axis(result, extent, stride, dilation, options.padding,
                    "conv_transpose", where);
    if (result < 1 || axis.outputs(result, extent) != size) {
      conv_error("conv_transpose", in, w, where)
          .expected("an output_padding below the stride ", stride)
          .got(extra.value_or(0), ", which gives size ", result, " along axis ",
               i + 1)
          .raise<ValueError>();
    }
    shape.set(i + 1, result);
    window.push_back(axis);
  }
  const bool is_line = in.rank() == 3;
  widen(window);
  if (is_line) shape.insert(1, 1);
  Tensor y = convolve_transposed(widened(in, 1, where), widened(w, 0, where),
                                 window, shape, where);
  if (is_line) y = squeeze(Arg(y, where), 1);
  return in_format(y, options.data_format, where);
}

}  // namespace systolic
