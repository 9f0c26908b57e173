// Sizes, places and options of pictures: what image:: takes for Arrays and for
// Tensors, and the arithmetic that both share.
//   image::resize(x, {224, 224}, {.method = "bicubic", .antialias = true});
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/array/spec.h"
#include "systolic/base/error.h"

namespace systolic::image {

// Height and width.
using Size = std::array<int64_t, 2>;

// Options of resize().
struct ResizeOptions {
  // "nearest", "bilinear", "bicubic", "area", "lanczos3", "lanczos5",
  // "gaussian" or "mitchellcubic".
  std::string method = "bilinear";
  // Whether the size is a limit, and the picture keeps its proportions.
  bool preserve_aspect_ratio = false;
  // Whether a smaller picture is made of all pixels, not of the nearest few.
  bool antialias = false;
};

// Options of resize_with_pad().
struct ResizeWithPadOptions {
  std::string method = "bilinear";  // as of resize()
  bool antialias = false;
};

// Options of crop_and_resize().
struct CropAndResizeOptions {
  std::string method = "bilinear";  // or "nearest"
  // What is outside of the image.
  double extrapolation_value = 0;
};

// Options of convert_image_dtype().
struct ConvertOptions {
  // Whether values outside of the new dtype's range are cut off, and not
  // wrapped.
  bool saturate = false;
};

// The two numbers that TensorFlow's stateless functions take.
using StatelessSeed = std::array<int64_t, 2>;

// What a number is drawn between: the lower one may occur.
struct Range {
  double lower = 0;
  double upper = 0;
};

// A part of a picture, or where a picture is put into a larger one.
struct BoundingBox {
  int64_t offset_height = 0;
  int64_t offset_width = 0;
  int64_t target_height = 0;
  int64_t target_width = 0;

  bool operator==(const BoundingBox&) const = default;
};

namespace detail {

// Throws ShapeError unless these are pictures: (h, w, c) or (n, h, w, c).
void require_images(std::string_view who, const TensorSpec& images,
                    const SourceLocation& where);
// Throws ValueError unless the box is of one pixel or more, inside.
void require_crop(std::string_view who, const TensorSpec& images,
                  const BoundingBox& box, const SourceLocation& where);
// Throws ValueError unless the picture fits into the box's size at its place.
void require_pad(std::string_view who, const TensorSpec& images,
                 const BoundingBox& box, const SourceLocation& where);

// The middle part. Throws ValueError unless the fraction is in (0, 1].
BoundingBox central_box(const TensorSpec& images, double central_fraction,
                        const SourceLocation& where);

// What to cut out of the middle, and then where to put it.
struct CropAndPad {
  BoundingBox crop;
  BoundingBox pad;
};
CropAndPad crop_or_pad_boxes(const TensorSpec& images, const Size& size);

// The size that resize() gives. Throws ValueError where a size is below 1.
Size resized_size(const TensorSpec& images, const Size& size,
                  bool preserve_aspect_ratio, const SourceLocation& where);

// The size that fits into `size`, and where to put it in the middle.
struct ResizeAndPad {
  Size resized;
  BoundingBox pad;
};
ResizeAndPad resize_and_pad(const TensorSpec& images, const Size& size,
                            const SourceLocation& where);

// Throws ShapeError for other shapes than crop_and_resize() takes, TypeError
// for images that are no numbers and box_indices that are no whole ones,
// ValueError for other options and for images or crops without a pixel.
void require_boxes(const TensorSpec& images, const TensorSpec& boxes,
                   const TensorSpec& box_indices, const Size& crop_size,
                   const CropAndResizeOptions& options,
                   const SourceLocation& where);

// Throws ShapeError unless these are a batch of images and a row of labels for
// each, TypeError unless the labels are floating-point numbers.
void require_batch(std::string_view who, const TensorSpec& images,
                   const TensorSpec& labels, const SourceLocation& where);

// Throws TypeError unless these are whole or floating-point numbers.
void require_colors(std::string_view who, const TensorSpec& images,
                    const SourceLocation& where);
// The same for the dtype that convert_image_dtype() makes of them.
void require_color_dtype(DType dtype, const SourceLocation& where);

// Throws ValueError unless 0 <= lower < upper <= most.
void require_range(std::string_view who, const Range& range, double most,
                   const SourceLocation& where);
// Throws ValueError unless 0 <= max_delta <= most.
void require_delta(std::string_view who, double max_delta, double most,
                   const SourceLocation& where);
// Throws ValueError unless `size` is a part of a value of shape `whole`.
void require_part(std::string_view who, const Shape& whole, const Shape& size,
                  const SourceLocation& where);

}  // namespace detail
}  // namespace systolic::image
