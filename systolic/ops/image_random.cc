#include "systolic/ops/image_random.h"

#include <functional>
#include <limits>
#include <vector>

#include "systolic/array/arrays.h"
#include "systolic/ops/bitwise.h"
#include "systolic/ops/image.h"
#include "systolic/ops/image_resize.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/slicing.h"
#include "systolic/ops/stateless.h"

namespace systolic::image {

using internal::ops::require_images;

SeedArg::SeedArg(const Array& seed) : value_(StatelessSeed{}) {
  if (!seed.is_set() || !is_integer(seed.dtype()) || seed.shape() != Shape{2}) {
    value_ = constant(seed);  // the function says what is wrong
    return;
  }
  const Array wide = systolic::cast<int64_t>(seed);
  const auto numbers = wide.span<int64_t>();
  value_ = StatelessSeed{numbers[0], numbers[1]};
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where a function's random words (uint32) of a shape come from.
using Words = std::function<Tensor(const Shape&)>;

Words words_of(const char* who, const SeedArg& seed,
               const SourceLocation& where) {
  const auto* numbers = std::get_if<StatelessSeed>(&seed.value());
  const Tensor state = numbers != nullptr
                           ? internal::ops::stateless_state(*numbers)
                           : internal::ops::stateless_state(
                                 who, std::get<Tensor>(seed.value()), where);
  return [state](const Shape& shape) {
    return internal::ops::philox_bits(state, shape);
  };
}

// What is drawn for the rows of a batch is keyed row by row.
Words words_of(const random::Seed& seed) {
  return [seed](const Shape& shape) {
    return random::bits(shape, {.seed = seed, .batch_rows = shape.rank() > 0});
  };
}

// From 0 (which occurs) to 1, with 23 random bits, as TensorFlow's.
Tensor unit(const Words& words, const Shape& shape) {
  const Tensor bits = bitwise_and(words(shape), 0x7fffff);
  return cast(bits, DType::float32) * 0x1p-23;
}

// One number of a range, computed in float32.
Tensor uniform(const Words& words, double lower, double upper) {
  const auto from = static_cast<float>(lower);
  const auto to = static_cast<float>(upper);
  return unit(words, Shape::scalar()) * double{to - from} + double{from};
}

Tensor uniform(const Words& words, const Range& range) {
  return uniform(words, range.lower, range.upper);
}

Tensor flip_some(const char* who, const Arg& images, const Words& words,
                 Tensor (*flip)(const Arg&)) {
  const Tensor in = require_images(images, who);
  const Tensor turned = flip(Arg(in, images.where()));
  if (in.rank() == 3) {
    return where(unit(words, Shape::scalar()) < 0.5, turned, in);
  }
  // In a batch TensorFlow rounds the number, so that the others are turned.
  const int64_t count = in.shape()[0];
  const Tensor turn = unit(words, {count}) > 0.5;
  return where(reshape(turn, {count, 1, 1, 1}), turned, in);
}

Tensor bright(const Arg& images, double max_delta, const Words& words) {
  return adjust_brightness(images, uniform(words, -max_delta, max_delta));
}

Tensor turned_hue(const Arg& images, double max_delta, const Words& words) {
  return adjust_hue(images, uniform(words, -max_delta, max_delta));
}

void check_delta(const char* who, const Arg& images, double max_delta,
                 double most = kInfinity) {
  detail::require_delta(who, max_delta, most, images.where());
}

void check_range(const char* who, const Arg& images, const Range& range) {
  detail::require_range(who, range, kInfinity, images.where());
}

Tensor cropped(const char* who, const Arg& value, const Shape& size,
               const Words& words) {
  const Tensor in = value.tensor();
  detail::require_part(who, in.shape(), size, value.where());
  if (in.rank() == 0) return in;
  std::vector<uint32_t> places;
  for (int i = 0; i < in.rank(); ++i) {
    places.push_back(static_cast<uint32_t>(in.shape()[i] - size[i] + 1));
  }
  const int64_t most = std::numeric_limits<int32_t>::max();
  const Tensor starts =
      mod(mod(words({in.rank()}), most), constant(Array::from(places)));
  return slice(Arg(in, value.where()), cast(starts, DType::int32), size);
}

}  // namespace

Tensor random_flip_left_right(const Arg& images, const random::Seed& seed) {
  return flip_some("random_flip_left_right", images, words_of(seed),
                   flip_left_right);
}

Tensor stateless_random_flip_left_right(const Arg& images,
                                        const SeedArg& seed) {
  constexpr const char* kWho = "stateless_random_flip_left_right";
  return flip_some(kWho, images, words_of(kWho, seed, images.where()),
                   flip_left_right);
}

Tensor random_flip_up_down(const Arg& images, const random::Seed& seed) {
  return flip_some("random_flip_up_down", images, words_of(seed), flip_up_down);
}

Tensor stateless_random_flip_up_down(const Arg& images, const SeedArg& seed) {
  constexpr const char* kWho = "stateless_random_flip_up_down";
  return flip_some(kWho, images, words_of(kWho, seed, images.where()),
                   flip_up_down);
}

Tensor random_brightness(const Arg& images, double max_delta,
                         const random::Seed& seed) {
  check_delta("random_brightness", images, max_delta);
  return bright(images, max_delta, words_of(seed));
}

Tensor stateless_random_brightness(const Arg& images, double max_delta,
                                   const SeedArg& seed) {
  constexpr const char* kWho = "stateless_random_brightness";
  check_delta(kWho, images, max_delta);
  return bright(images, max_delta, words_of(kWho, seed, images.where()));
}

Tensor random_contrast(const Arg& images, const Range& range,
                       const random::Seed& seed) {
  check_range("random_contrast", images, range);
  return adjust_contrast(images, uniform(words_of(seed), range));
}

Tensor stateless_random_contrast(const Arg& images, const Range& range,
                                 const SeedArg& seed) {
  constexpr const char* kWho = "stateless_random_contrast";
  check_range(kWho, images, range);
  return adjust_contrast(images,
                         uniform(words_of(kWho, seed, images.where()), range));
}

Tensor random_hue(const Arg& images, double max_delta,
                  const random::Seed& seed) {
  check_delta("random_hue", images, max_delta, 0.5);
  return turned_hue(images, max_delta, words_of(seed));
}

Tensor stateless_random_hue(const Arg& images, double max_delta,
                            const SeedArg& seed) {
  constexpr const char* kWho = "stateless_random_hue";
  check_delta(kWho, images, max_delta, 0.5);
  return turned_hue(images, max_delta, words_of(kWho, seed, images.where()));
}

Tensor random_saturation(const Arg& images, const Range& range,
                         const random::Seed& seed) {
  check_range("random_saturation", images, range);
  return adjust_saturation(images, uniform(words_of(seed), range));
}

Tensor stateless_random_saturation(const Arg& images, const Range& range,
                                   const SeedArg& seed) {
  constexpr const char* kWho = "stateless_random_saturation";
  check_range(kWho, images, range);
  return adjust_saturation(
      images, uniform(words_of(kWho, seed, images.where()), range));
}

Tensor random_crop(const Arg& value, const Shape& size,
                   const random::Seed& seed) {
  // One place for the whole: not one for each row.
  return cropped("random_crop", value, size, [seed](const Shape& shape) {
    return random::bits(shape, {.seed = seed});
  });
}

Tensor stateless_random_crop(const Arg& value, const Shape& size,
                             const SeedArg& seed) {
  constexpr const char* kWho = "stateless_random_crop";
  return cropped(kWho, value, size, words_of(kWho, seed, value.where()));
}

}  // namespace systolic::image
