// Pictures changed at random on the host, as tf.image does it.
//   Array other = image::random_flip_left_right(photo);
//   Array same = image::stateless_random_flip_left_right(photo, {1, 2});
// random_* draw from the program's seed (set_random_seed); in a function
// given to map(), from the element's place in its pass, so that a pipeline
// gives equal pictures whatever its number of threads. stateless_random_*
// depend on their seed alone, and give what TensorFlow gives for it.
// What they throw is in colors.h and geometry.h.
#pragma once

#include "systolic/array/array.h"
#include "systolic/array/image_geometry.h"

namespace systolic::image {

// Turned round, or not; in a batch each image by itself.
Array random_flip_left_right(const Array& images);
Array stateless_random_flip_left_right(const Array& images,
                                       const StatelessSeed& seed);
Array random_flip_up_down(const Array& images);
Array stateless_random_flip_up_down(const Array& images,
                                    const StatelessSeed& seed);

// adjust_brightness by a number between -max_delta and max_delta.
// Throws: ValueError for a negative max_delta.
Array random_brightness(const Array& images, double max_delta);
Array stateless_random_brightness(const Array& images, double max_delta,
                                  const StatelessSeed& seed);
// adjust_contrast by a number in the range.
// Throws: ValueError unless 0 <= lower < upper.
Array random_contrast(const Array& images, const Range& range);
Array stateless_random_contrast(const Array& images, const Range& range,
                                const StatelessSeed& seed);
// adjust_hue by a number between -max_delta and max_delta.
// Throws: ValueError unless max_delta is 0 ... 0.5.
Array random_hue(const Array& images, double max_delta);
Array stateless_random_hue(const Array& images, double max_delta,
                           const StatelessSeed& seed);
// adjust_saturation by a number in the range.
// Throws: ValueError unless 0 <= lower < upper.
Array random_saturation(const Array& images, const Range& range);
Array stateless_random_saturation(const Array& images, const Range& range,
                                  const StatelessSeed& seed);
// adjust_jpeg_quality by a whole number in the range, without its upper end.
// Throws: ValueError unless 0 <= lower < upper <= 100.
Array random_jpeg_quality(const Array& image, const Range& range);
Array stateless_random_jpeg_quality(const Array& image, const Range& range,
                                    const StatelessSeed& seed);

// A part of this shape from a random place of an Array of any rank.
// Throws: ValueError where it does not fit.
Array random_crop(const Array& value, const Shape& size);
Array stateless_random_crop(const Array& value, const Shape& size,
                            const StatelessSeed& seed);

// Options of sample_distorted_bounding_box().
struct DistortedBoxOptions {
  // Width over height.
  Range aspect_ratio_range = {0.75, 1.33};
  // The part of the image's area.
  Range area_range = {0.05, 1};
  // After so many boxes that do not fit, it is the whole image.
  int max_attempts = 100;
};
// A box of random area and proportions inside of an image of this size, for
// crop_to_bounding_box() and decode_and_crop_jpeg(): the usual crop of
// training on photographs. Throws: ValueError for ranges that there are not.
BoundingBox sample_distorted_bounding_box(
    const Size& image_size, const DistortedBoxOptions& options = {});
BoundingBox stateless_sample_distorted_bounding_box(
    const Size& image_size, const StatelessSeed& seed,
    const DistortedBoxOptions& options = {});

}  // namespace systolic::image
