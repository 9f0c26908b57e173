// Tested by: systolic/layers/convolutional/conv2d_platform_test.cc
#include "systolic/layers/window.h"

#include "systolic/ops/manipulation.h"

namespace systolic::layers {

int64_t window_output(int64_t input, int64_t size, int64_t stride,
                      Padding padding, int64_t dilation) {
  if (input < 0) return -1;
  if (padding == Padding::same) return (input + stride - 1) / stride;
  const int64_t covered = dilation * (size - 1) + 1;
  return input < covered ? 0 : (input - covered) / stride + 1;
}

Shape window_output_shape(const Window& window, const Shape& input,
                          int64_t channels, internal::Message message,
                          std::string_view what, const SourceLocation& where) {
  const int first = window.data_format == DataFormat::channels_last ? 1 : 2;
  Shape out = input;
  bool fits = true;
  for (int i = 0; i < 2; ++i) {
    const auto axis = static_cast<size_t>(i);
    const int64_t size =
        window_output(input[first + i], window.size.sizes()[axis],
                      window.strides.sizes()[axis], window.padding,
                      window.dilation.sizes()[axis]);
    fits = fits && size != 0;
    out.set(first + i, size);
  }
  if (!fits) {
    const Shape sizes{input[first], input[first + 1]};
    message
        .expected("an image no smaller than the ", what, " ",
                  window.size.to_string())
        .got("height and width ", sizes)
        .detail("input", input);
    if (window.dilation != Extent2D(1)) {
      message.detail("dilation_rate", window.dilation.to_string());
    }
    message
        .hint("use padding = \"same\", a smaller ", what,
              " or fewer pooling layers before it")
        .at(where)
        .raise<ShapeError>();
  }
  out.set(channel_axis(window.data_format), channels);
  return out;
}

void require_positive(internal::Message message, std::string_view name,
                      const Extent2D& extent, const SourceLocation& where) {
  if (extent.height() > 0 && extent.width() > 0) return;
  message.expected(name, " > 0 along height and width")
      .got(extent.to_string())
      .at(where)
      .raise<ValueError>();
}

Tensor to_channels_last(const Tensor& image, DataFormat format) {
  if (format == DataFormat::channels_last) return image;
  return transpose(image, {0, 2, 3, 1});
}

Tensor from_channels_last(const Tensor& image, DataFormat format) {
  if (format == DataFormat::channels_last) return image;
  return transpose(image, {0, 3, 1, 2});
}

}  // namespace systolic::layers
