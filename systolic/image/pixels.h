// Images as rows of pixels: what the functions of this room are made of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "systolic/array/array.h"

namespace systolic::image::detail {

// A batch of images whose pixels are so many bytes.
struct Pixels {
  int64_t count = 0;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  size_t pixel_bytes = 0;

  // The bytes of a row and of an image.
  size_t row_bytes() const { return static_cast<size_t>(width) * pixel_bytes; }
  size_t image_bytes() const {
    return static_cast<size_t>(height) * row_bytes();
  }
};

// How the images lie in the Array. Throws ShapeError naming `who` for another
// rank, TypeError for strings.
Pixels pixels_of(const char* who, const Array& images);

// The shape of the images with another height and width.
Shape with_size(const Array& images, int64_t height, int64_t width);

// A copy of one image's pixels where pixel (y, x) of the result is pixel
// origin + y * down + x * right of the input, all in pixels.
struct Walk {
  int64_t origin = 0;
  int64_t down = 0;
  int64_t right = 0;
};
// The images so copied, of `height` and `width`.
Array walked(const char* who, const Array& images, int64_t height,
             int64_t width, const Walk& walk);

}  // namespace systolic::image::detail
