// Parts, frames and turns of pictures on the host, as tf.image has them.
//   Array part = image::central_crop(photo, 0.875);
//   Array other = image::flip_left_right(photo);
// Images are (height, width, channels) or batches of them, of any dtype.
// Shapes that are none throw ShapeError; boxes that do not fit, ValueError.
#pragma once

#include "systolic/array/array.h"
#include "systolic/array/image_geometry.h"

namespace systolic::image {

// The part of the image in a box.
Array crop_to_bounding_box(const Array& images, const BoundingBox& box);
// The image with zeros around it: the box gives its place and the new size.
Array pad_to_bounding_box(const Array& images, const BoundingBox& box);
// The middle, of this part of the height and of the width.
Array central_crop(const Array& images, double central_fraction);
// The middle of the image, or the image in the middle of zeros.
Array resize_with_crop_or_pad(const Array& images, const Size& size);

// Turned round, left for right and top for bottom.
Array flip_left_right(const Array& images);
Array flip_up_down(const Array& images);
// Turned counter-clockwise by k quarters.
Array rot90(const Array& images, int k = 1);
// Height and width change places.
Array transpose(const Array& images);

}  // namespace systolic::image
