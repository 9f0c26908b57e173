// Shapes of layers that move a window over an image: convolution, pooling.
//
//   window_output(28, 3, 1, Padding::valid);   // 26
#pragma once

#include <cstdint>
#include <string_view>

#include "systolic/array/shape.h"
#include "systolic/base/message.h"
#include "systolic/graph/tensor.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// A window and how it moves.
struct Window {
  Extent2D size;
  Extent2D strides = 1;
  Extent2D dilation = 1;
  Padding padding = Padding::valid;
  DataFormat data_format = DataFormat::channels_last;
};

// The number of windows along an axis; below 1 where none fits, -1 where the
// size is unknown.
int64_t window_output(int64_t input, int64_t size, int64_t stride,
                      Padding padding, int64_t dilation = 1);

// The shape of an image of `input` under the window, with `channels` at the
// end (or second, by the data format). `message` begins the error, `what`
// says what the window is called.
// Throws: ShapeError where no window fits.
Shape window_output_shape(const Window& window, const Shape& input,
                          int64_t channels, internal::Message message,
                          std::string_view what, const SourceLocation& where);

// The axis of the channels.
inline int channel_axis(DataFormat format) {
  return format == DataFormat::channels_last ? -1 : 1;
}

// Throws ValueError unless both sizes are above 0.
void require_positive(internal::Message message, std::string_view name,
                      const Extent2D& extent, const SourceLocation& where);

// The image as (n, h, w, c), and such an image in the data format.
Tensor to_channels_last(const Tensor& image, DataFormat format);
Tensor from_channels_last(const Tensor& image, DataFormat format);

}  // namespace systolic::layers
