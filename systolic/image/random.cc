#include "systolic/image/random.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "systolic/array/manipulation.h"
#include "systolic/base/message.h"
#include "systolic/base/philox.h"
#include "systolic/base/seed.h"
#include "systolic/image/colors.h"
#include "systolic/image/geometry.h"
#include "systolic/image/pixels.h"
#include "systolic/image/stateless.h"

namespace systolic::image {

namespace detail {

StatelessNumbers::StatelessNumbers(const std::array<int64_t, 2>& seed) {
  const internal::PhiloxState state = internal::stateless_state(seed);
  key_ = state.key;
  counter_ = {0, 0, static_cast<uint32_t>(state.upper),
              static_cast<uint32_t>(state.upper >> 32)};
}

uint32_t StatelessNumbers::bits() {
  if (used_ == 4) {
    block_ = internal::philox(counter_, key_);
    for (uint32_t& word : counter_) {
      if (++word != 0) break;
    }
    used_ = 0;
  }
  return block_[static_cast<size_t>(used_++)];
}

float StatelessNumbers::uniform() {
  constexpr uint32_t kOne = 127u << 23;
  return std::bit_cast<float>(kOne | (bits() & 0x7fffff)) - 1;
}

float StatelessNumbers::uniform(double lower, double upper) {
  const auto from = static_cast<float>(lower);
  return uniform() * (static_cast<float>(upper) - from) + from;
}

int64_t StatelessNumbers::integer(int64_t lower, int64_t upper) {
  return lower +
         static_cast<int64_t>(bits() % static_cast<uint32_t>(upper - lower));
}

uint32_t StatelessNumbers::below(uint32_t n) {
  if (std::has_single_bit(n)) return bits() & (n - 1);
  // As many numbers are left out as make all remainders as likely.
  const uint32_t least = std::numeric_limits<uint32_t>::max() % n + 1;
  uint32_t drawn = bits();
  while (drawn < least) drawn = bits();
  return drawn % n;
}

std::array<int64_t, 2> fresh_seed() {
  const uint64_t seed = internal::draw_seed();
  return {static_cast<int64_t>(seed),
          static_cast<int64_t>(internal::mix_seed(seed, 1))};
}

}  // namespace detail

using detail::fresh_seed;
using detail::StatelessNumbers;

namespace {

void require_range(const char* who, const Range& range, double most) {
  detail::require_range(who, range, most, SourceLocation::current());
}

void require_delta(const char* who, double max_delta, double most) {
  detail::require_delta(who, max_delta, most, SourceLocation::current());
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Array flip_some(const char* who, const Array& images, const StatelessSeed& seed,
                Array (*flip)(const Array&)) {
  const detail::Pixels in = detail::pixels_of(who, images);
  StatelessNumbers numbers(seed);
  if (images.rank() == 3) {
    return numbers.uniform() < 0.5f ? flip(images) : images;
  }
  // In a batch TensorFlow rounds the number, so that the others are turned.
  Array result = flip(images);
  std::byte* out = result.mutable_data();
  for (int64_t i = 0; i < in.count; ++i, out += in.image_bytes()) {
    if (numbers.uniform() > 0.5f) continue;
    std::memcpy(out, images.data() + static_cast<size_t>(i) * in.image_bytes(),
                in.image_bytes());
  }
  return result;
}

Array bright(const char* who, const Array& images, double max_delta,
             const StatelessSeed& seed) {
  require_delta(who, max_delta, kInfinity);
  return adjust_brightness(
      images, StatelessNumbers(seed).uniform(-max_delta, max_delta));
}

Array contrasting(const char* who, const Array& images, const Range& range,
                  const StatelessSeed& seed) {
  require_range(who, range, kInfinity);
  return adjust_contrast(
      images, StatelessNumbers(seed).uniform(range.lower, range.upper));
}

Array turned_hue(const char* who, const Array& images, double max_delta,
                 const StatelessSeed& seed) {
  require_delta(who, max_delta, 0.5);
  return adjust_hue(images,
                    StatelessNumbers(seed).uniform(-max_delta, max_delta));
}

Array saturated(const char* who, const Array& images, const Range& range,
                const StatelessSeed& seed) {
  require_range(who, range, kInfinity);
  return adjust_saturation(
      images, StatelessNumbers(seed).uniform(range.lower, range.upper));
}

Array encoded(const char* who, const Array& image, const Range& range,
              const StatelessSeed& seed) {
  require_range(who, range, 100);
  const auto lower = static_cast<int64_t>(range.lower);
  const auto upper = std::max(static_cast<int64_t>(range.upper), lower + 1);
  return adjust_jpeg_quality(
      image, static_cast<int>(StatelessNumbers(seed).integer(lower, upper)));
}

Array cropped(const char* who, const Array& value, const Shape& size,
              const StatelessSeed& seed) {
  detail::require_part(who, value.shape(), size, SourceLocation::current());
  StatelessNumbers numbers(seed);
  std::vector<Index> part;
  for (int i = 0; i < size.rank(); ++i) {
    const int64_t most = std::numeric_limits<int32_t>::max();
    const int64_t from =
        numbers.integer(0, most) % (value.shape()[i] - size[i] + 1);
    part.emplace_back(Slice(from, from + size[i]));
  }
  return value.slice(part);
}

}  // namespace

Array stateless_random_flip_left_right(const Array& images,
                                       const StatelessSeed& seed) {
  return flip_some("stateless_random_flip_left_right", images, seed,
                   flip_left_right);
}

Array random_flip_left_right(const Array& images) {
  return flip_some("random_flip_left_right", images, fresh_seed(),
                   flip_left_right);
}

Array stateless_random_flip_up_down(const Array& images,
                                    const StatelessSeed& seed) {
  return flip_some("stateless_random_flip_up_down", images, seed, flip_up_down);
}

Array random_flip_up_down(const Array& images) {
  return flip_some("random_flip_up_down", images, fresh_seed(), flip_up_down);
}

Array stateless_random_brightness(const Array& images, double max_delta,
                                  const StatelessSeed& seed) {
  return bright("stateless_random_brightness", images, max_delta, seed);
}

Array random_brightness(const Array& images, double max_delta) {
  return bright("random_brightness", images, max_delta, fresh_seed());
}

Array stateless_random_contrast(const Array& images, const Range& range,
                                const StatelessSeed& seed) {
  return contrasting("stateless_random_contrast", images, range, seed);
}

Array random_contrast(const Array& images, const Range& range) {
  return contrasting("random_contrast", images, range, fresh_seed());
}

Array stateless_random_hue(const Array& images, double max_delta,
                           const StatelessSeed& seed) {
  return turned_hue("stateless_random_hue", images, max_delta, seed);
}

Array random_hue(const Array& images, double max_delta) {
  return turned_hue("random_hue", images, max_delta, fresh_seed());
}

Array stateless_random_saturation(const Array& images, const Range& range,
                                  const StatelessSeed& seed) {
  return saturated("stateless_random_saturation", images, range, seed);
}

Array random_saturation(const Array& images, const Range& range) {
  return saturated("random_saturation", images, range, fresh_seed());
}

Array stateless_random_jpeg_quality(const Array& image, const Range& range,
                                    const StatelessSeed& seed) {
  return encoded("stateless_random_jpeg_quality", image, range, seed);
}

Array random_jpeg_quality(const Array& image, const Range& range) {
  return encoded("random_jpeg_quality", image, range, fresh_seed());
}

Array stateless_random_crop(const Array& value, const Shape& size,
                            const StatelessSeed& seed) {
  return cropped("stateless_random_crop", value, size, seed);
}

Array random_crop(const Array& value, const Shape& size) {
  return cropped("random_crop", value, size, fresh_seed());
}

namespace {

// A box of these proportions whose area is in the range, if there is one, as
// TensorFlow's GenerateRandomCrop finds it, step by step in its numbers.
std::optional<BoundingBox> random_box(int64_t height, int64_t width,
                                      const Range& area_range, float ratio,
                                      StatelessNumbers& numbers) {
  const auto rounded = [](float x) { return int64_t{std::lrintf(x)}; };
  const auto wide = [&](int64_t tall) {
    return rounded(static_cast<float>(tall) * ratio);
  };
  const auto all = [&](double part) {
    return static_cast<float>(part) * static_cast<float>(width) *
           static_cast<float>(height);
  };
  const float least = all(area_range.lower), most = all(area_range.upper);
  int64_t tallest = rounded(std::sqrt(most / ratio));
  if (wide(tallest) > width) {
    constexpr double kNearlyHalf = 0.5 - double{0.0000001f};
    tallest = static_cast<int64_t>((static_cast<double>(width) + kNearlyHalf) /
                                   double{ratio});
    if (wide(tallest) > width) --tallest;
  }
  tallest = std::min(tallest, height);
  int64_t tall = std::min(rounded(std::sqrt(least / ratio)), tallest);
  if (tall < tallest) {
    tall += numbers.below(static_cast<uint32_t>(tallest - tall + 1));
  }
  const auto area = [&] { return static_cast<float>(tall * wide(tall)); };
  if (area() < least) ++tall;
  if (area() > most) --tall;
  const int64_t across = wide(tall);
  if (area() < least || area() > most || across > width || tall > height ||
      across < 1 || tall < 1) {
    return std::nullopt;
  }
  // The last place is left out, as TensorFlow leaves it.
  const auto place = [&](int64_t size, int64_t whole) -> int64_t {
    return size < whole ? numbers.below(static_cast<uint32_t>(whole - size))
                        : 0;
  };
  const int64_t top = place(tall, height);
  return BoundingBox{top, place(across, width), tall, across};
}

BoundingBox distorted_box(const char* who, const Size& image_size,
                          const StatelessSeed& seed,
                          const DistortedBoxOptions& options) {
  require_range(who, options.area_range, 1);
  require_range(who, options.aspect_ratio_range, kInfinity);
  const int64_t height = image_size[0], width = image_size[1];
  if (height < 1 || width < 1 || options.aspect_ratio_range.lower <= 0) {
    internal::Message(who)
        .expected("an image of at least one pixel, and proportions above 0")
        .got(height, " x ", width, ", from ", options.aspect_ratio_range.lower)
        .raise<ValueError>();
  }
  StatelessNumbers numbers(seed);
  for (int attempt = 0; attempt < options.max_attempts; ++attempt) {
    const float ratio = numbers.uniform(options.aspect_ratio_range.lower,
                                        options.aspect_ratio_range.upper);
    if (const auto box =
            random_box(height, width, options.area_range, ratio, numbers)) {
      return *box;
    }
  }
  return {0, 0, height, width};
}

}  // namespace

BoundingBox stateless_sample_distorted_bounding_box(
    const Size& image_size, const StatelessSeed& seed,
    const DistortedBoxOptions& options) {
  return distorted_box("stateless_sample_distorted_bounding_box", image_size,
                       seed, options);
}

BoundingBox sample_distorted_bounding_box(const Size& image_size,
                                          const DistortedBoxOptions& options) {
  return distorted_box("sample_distorted_bounding_box", image_size,
                       fresh_seed(), options);
}

}  // namespace systolic::image
