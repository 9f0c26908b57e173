// Images as Tensors changed at random inside of a program, as tf.image does it.
//
//   x = image::stateless_random_flip_left_right(x, seed);  // int32, shape (2,)
//   x = image::random_brightness(x, 0.2, generator);
//
// stateless_random_* depend on their seed alone, and give what TensorFlow, and
// the functions of Arrays, give for it. A seed that is a Tensor changes from
// step to step without a new program; replicas that are given the same one draw
// the same numbers, so put what tells them apart into it
// (replica_id_in_sync_group()).
//
// random_* draw from a generator, a fixed seed or, without any, from the
// program's seed, as random::uniform does: the numbers are others than the
// host's. Each row of a batch is keyed by its place in the whole batch.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "systolic/array/image_geometry.h"
#include "systolic/graph/arg.h"
#include "systolic/graph/variable.h"
#include "systolic/ops/random.h"

namespace systolic::image {

/// The seed of a stateless function: two numbers, or a Tensor, a Variable or
/// an Array of two.
class SeedArg {
 public:
  SeedArg(int64_t first, int64_t second)
      : value_(StatelessSeed{first, second}) {}
  SeedArg(const StatelessSeed& seed) : value_(seed) {}
  SeedArg(Tensor seed) : value_(std::move(seed)) {}
  SeedArg(const Variable& seed) : value_(seed.value()) {}
  SeedArg(const Array& seed);

  const std::variant<StatelessSeed, Tensor>& value() const { return value_; }

 private:
  std::variant<StatelessSeed, Tensor> value_;
};

/// Turned round, or not; in a batch each image by itself.
Tensor random_flip_left_right(const Arg& images, const random::Seed& seed = {});
Tensor stateless_random_flip_left_right(const Arg& images, const SeedArg& seed);
Tensor random_flip_up_down(const Arg& images, const random::Seed& seed = {});
Tensor stateless_random_flip_up_down(const Arg& images, const SeedArg& seed);

/// adjust_brightness by a number between -max_delta and max_delta.
/// Throws ValueError for a negative max_delta.
Tensor random_brightness(const Arg& images, double max_delta,
                         const random::Seed& seed = {});
Tensor stateless_random_brightness(const Arg& images, double max_delta,
                                   const SeedArg& seed);
/// adjust_contrast by a number in the range.
/// Throws ValueError unless 0 <= lower < upper.
Tensor random_contrast(const Arg& images, const Range& range,
                       const random::Seed& seed = {});
Tensor stateless_random_contrast(const Arg& images, const Range& range,
                                 const SeedArg& seed);
/// adjust_hue by a number between -max_delta and max_delta.
/// Throws ValueError unless max_delta is 0 ... 0.5.
Tensor random_hue(const Arg& images, double max_delta,
                  const random::Seed& seed = {});
Tensor stateless_random_hue(const Arg& images, double max_delta,
                            const SeedArg& seed);
/// adjust_saturation by a number in the range.
/// Throws ValueError unless 0 <= lower < upper.
Tensor random_saturation(const Arg& images, const Range& range,
                         const random::Seed& seed = {});
Tensor stateless_random_saturation(const Arg& images, const Range& range,
                                   const SeedArg& seed);

/// A part of this shape from a random place of a Tensor of any rank.
/// Throws ValueError where it does not fit.
Tensor random_crop(const Arg& value, const Shape& size,
                   const random::Seed& seed = {});
Tensor stateless_random_crop(const Arg& value, const Shape& size,
                             const SeedArg& seed);

}  // namespace systolic::image
