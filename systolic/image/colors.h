// Colours of pictures on the host, as tf.image changes them.
//   Array warm = image::adjust_saturation(photo, 1.5);
// Images are (..., channels). Those of whole numbers are taken as parts of
// the dtype's greatest value, and come back as that dtype, cut off at its
// ends; floating-point colours are from 0 to 1 and are not cut off.
// All throw TypeError for other dtypes and ShapeError for other channels.
#pragma once

#include <cstdint>

#include "systolic/array/array.h"
#include "systolic/array/image_geometry.h"

namespace systolic::image {

// The same colours as another dtype: whole numbers are parts of the greatest
// value of their dtype, floats are from 0 to 1.
Array convert_image_dtype(const Array& images, DType dtype,
                          const ConvertOptions& options = {});

// Luminance, with one channel.
Array rgb_to_grayscale(const Array& images);
// One channel three times.
Array grayscale_to_rgb(const Array& images);
// Hue, saturation and value of floating-point colours, each from 0 to 1; and
// back.
Array rgb_to_hsv(const Array& images);
Array hsv_to_rgb(const Array& images);

// `delta` added to every colour.
Array adjust_brightness(const Array& images, double delta);
// Differences from each channel's mean times `contrast_factor`; images are
// (h, w, c) or (n, h, w, c).
Array adjust_contrast(const Array& images, double contrast_factor);
// gain * x to the power gamma. Throws ValueError for a negative gamma.
Array adjust_gamma(const Array& images, double gamma, double gain = 1);
// Saturation times `saturation_factor`, at most 1.
Array adjust_saturation(const Array& images, double saturation_factor);
// Hue turned by `delta` of a whole turn.
Array adjust_hue(const Array& images, double delta);
// The image as JPEG of this quality shows it. Image: (h, w, 1 or 3).
Array adjust_jpeg_quality(const Array& image, int jpeg_quality);
// Each image with mean 0 and deviation 1 (at least one over the root of its
// size, for images of one colour): floating-point numbers.
Array per_image_standardization(const Array& images);

}  // namespace systolic::image
