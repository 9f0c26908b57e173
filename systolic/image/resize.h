// Pictures of another size on the host, as tf.image has them.
//   Array small = image::resize(photo, {224, 224}, {.antialias = true});
#pragma once

#include "systolic/array/array.h"
#include "systolic/array/image_geometry.h"

namespace systolic::image {

// Images of another size, sampled at the centres of pixels. Whole numbers
// become float32, but for "nearest". Shapes: (..., h, w, c) -> (..., h', w',
// c). Throws: ShapeError for another rank, ValueError for sizes and methods
// that there are not.
Array resize(const Array& images, const Size& size,
             const ResizeOptions& options = {});
// The image as large as it fits into the size, in the middle of zeros.
Array resize_with_pad(const Array& images, const Size& size,
                      const ResizeWithPadOptions& options = {});

// A part of one of the images for each box, resized to `crop_size`: float32.
// Boxes are y1, x1, y2, x2, where 0 is the first pixel and 1 the last; one
// with y1 > y2 is upside down. Shapes: (n, h, w, c), (boxes, 4), (boxes,) ->
// (boxes, h', w', c). Throws: ShapeError, TypeError, ValueError, and
// OutOfRangeError for an index that is no image.
Array crop_and_resize(const Array& images, const Array& boxes,
                      const Array& box_indices, const Size& crop_size,
                      const CropAndResizeOptions& options = {});

}  // namespace systolic::image
