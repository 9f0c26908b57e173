// Images as Tensors: sizes, crops, flips and colours, as tf.image has them.
//
//   Tensor small = image::resize(x, {32, 32}, {.antialias = true});
//   Tensor warm = image::adjust_saturation(x, 1.5);
//
// Images are (height, width, channels) or batches of them. Colours are
// floating-point numbers from 0 to 1, or whole numbers, which are taken as
// parts of the dtype's greatest value, and come back as that dtype, cut off at
// its ends. Factors may be Tensors of one number.
#pragma once

#include "systolic/array/image_geometry.h"
#include "systolic/graph/arg.h"

namespace systolic::image {

/// Images of another size, sampled at the centres of pixels. Whole numbers
/// become float32, but for "nearest". Shapes: (n, h, w, c) -> (n, h', w', c).
Tensor resize(const Arg& images, const Size& size,
              const ResizeOptions& options = {});
/// The image as large as it fits into the size, in the middle of zeros.
Tensor resize_with_pad(const Arg& images, const Size& size,
                       const ResizeWithPadOptions& options = {});

/// A part of one of the images for each box, resized to `crop_size`: float32.
/// Boxes are y1, x1, y2, x2, where 0 is the first pixel and 1 the last; one
/// with y1 > y2 is upside down. Shapes: (n, h, w, c), (boxes, 4), (boxes,) ->
/// (boxes, h', w', c). Gradients go to the images and, of "bilinear", to the
/// boxes. Throws: ShapeError, TypeError, ValueError, and OutOfRangeError for an
/// index that is known to be no image; on a device the nearest one is taken.
Tensor crop_and_resize(const Arg& images, const Arg& boxes,
                       const Arg& box_indices, const Size& crop_size,
                       const CropAndResizeOptions& options = {});

/// The part of the image in a box. Throws ValueError where it sticks out.
Tensor crop_to_bounding_box(const Arg& images, const BoundingBox& box);
/// The image with zeros around it: box gives its place and the new size.
Tensor pad_to_bounding_box(const Arg& images, const BoundingBox& box);
/// The middle, of this part of the height and of the width.
Tensor central_crop(const Arg& images, double central_fraction);
/// The middle of the image, or the image in the middle of zeros.
Tensor resize_with_crop_or_pad(const Arg& images, const Size& size);

/// Turned round, left for right and top for bottom.
Tensor flip_left_right(const Arg& images);
Tensor flip_up_down(const Arg& images);
/// Turned counter-clockwise by k quarters.
Tensor rot90(const Arg& images, int k = 1);

/// Height and width change places.
Tensor transpose(const Arg& images);

/// The same colours as another dtype: whole numbers are parts of the greatest
/// value of their dtype, floats are from 0 to 1.
Tensor convert_image_dtype(const Arg& images, DType dtype,
                           const ConvertOptions& options = {});
/// Luminance, with one channel.
Tensor rgb_to_grayscale(const Arg& images);
/// One channel three times.
Tensor grayscale_to_rgb(const Arg& images);
/// Hue, saturation and value of floating-point colours, each from 0 to 1; and
/// back.
Tensor rgb_to_hsv(const Arg& images);
Tensor hsv_to_rgb(const Arg& images);

/// `delta` added to every number.
Tensor adjust_brightness(const Arg& images, const Arg& delta);
/// Differences from each channel's mean times `contrast_factor`.
Tensor adjust_contrast(const Arg& images, const Arg& contrast_factor);
/// gain * x to the power gamma.
Tensor adjust_gamma(const Arg& images, double gamma, double gain = 1);
/// Saturation times `saturation_factor`, at most 1.
Tensor adjust_saturation(const Arg& images, const Arg& saturation_factor);
/// Hue turned by `delta` of a whole turn.
Tensor adjust_hue(const Arg& images, const Arg& delta);
/// Each image with mean 0 and deviation 1 (at least one over the root of its
/// size, for images of one colour).
Tensor per_image_standardization(const Arg& images);

}  // namespace systolic::image
