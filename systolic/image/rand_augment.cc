// Tested by: systolic/image/mixing_test.cc
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "systolic/array/cast.h"
#include "systolic/array/elementwise.h"
#include "systolic/base/message.h"
#include "systolic/image/colors.h"
#include "systolic/image/mixing.h"
#include "systolic/image/pixels.h"
#include "systolic/image/stateless.h"

namespace systolic::image {

using detail::Pixels;
using detail::StatelessNumbers;

namespace {

constexpr size_t kChannels = 3;

// Values of one channel to others: table[value].
using Table = std::array<uint8_t, 256>;

// Each channel by the table that `make` gives for the count of its values.
template <class Make>
Array by_histogram(const Array& image, const Make& make) {
  Array result = Array::uninitialized(image.spec());
  const auto from = image.span<uint8_t>();
  const auto to = result.mutable_span<uint8_t>();
  for (size_t c = 0; c < kChannels; ++c) {
    std::array<int64_t, 256> counts{};
    for (size_t i = c; i < from.size(); i += kChannels) ++counts[from[i]];
    const Table table = make(counts);
    for (size_t i = c; i < from.size(); i += kChannels) to[i] = table[from[i]];
  }
  return result;
}

// The darkest value to 0 and the brightest to 255.
Array auto_contrast(const Array& image) {
  return by_histogram(image, [](const std::array<int64_t, 256>& counts) {
    int low = 0, high = 255;
    while (low < 255 && counts[static_cast<size_t>(low)] == 0) ++low;
    while (high > low && counts[static_cast<size_t>(high)] == 0) --high;
    Table table{};
    for (int i = 0; i < 256; ++i) {
      const int value = high == low ? i : (i - low) * 255 / (high - low);
      table[static_cast<size_t>(i)] =
          static_cast<uint8_t>(std::clamp(value, 0, 255));
    }
    return table;
  });
}

// Every value about as often, in Pillow's whole numbers, which Keras has too.
Array equalize(const Array& image) {
  const int64_t pixels = image.size() / static_cast<int64_t>(kChannels);
  return by_histogram(image, [=](const std::array<int64_t, 256>& counts) {
    size_t last = 255;
    while (last > 0 && counts[last] == 0) --last;
    const int64_t step = (pixels - counts[last]) / 255;
    Table table{};
    int64_t below = step / 2;
    for (size_t i = 0; i < 256; ++i) {
      // With too few pixels for a step each value stays.
      const auto value = step == 0 ? static_cast<int64_t>(i) : below / step;
      table[i] = static_cast<uint8_t>(std::min<int64_t>(value, 255));
      below += counts[i];
    }
    return table;
  });
}

template <class F>
Array by_value(const Array& image, const F& f) {
  return by_histogram(image, [&](const std::array<int64_t, 256>&) {
    Table table{};
    for (int i = 0; i < 256; ++i) {
      table[static_cast<size_t>(i)] = static_cast<uint8_t>(f(i));
    }
    return table;
  });
}

// Each pixel's difference from the mean around it times `amount`.
Array sharpness(const Array& image, float amount) {
  const int64_t height = image.shape()[0], width = image.shape()[1];
  const auto stride = width * static_cast<int64_t>(kChannels);
  const uint8_t* from = image.span<uint8_t>().data();
  Array result = Array::uninitialized(image.spec());
  uint8_t* to = result.mutable_span<uint8_t>().data();
  std::memcpy(to, from, image.nbytes());
  constexpr auto kStep = static_cast<int64_t>(kChannels);
  for (int64_t y = 1; y + 1 < height; ++y) {
    for (int64_t i = y * stride + kStep; i < (y + 1) * stride - kStep; ++i) {
      int sum = 4 * from[i];  // the pixel itself counts five times
      for (int64_t row = -stride; row <= stride; row += stride) {
        sum += from[i + row - kStep] + from[i + row] + from[i + row + kStep];
      }
      const float smooth = static_cast<float>(sum) / 13;
      const float value =
          smooth + (static_cast<float>(from[i]) - smooth) * amount;
      to[i] = static_cast<uint8_t>(std::clamp(value + 0.5f, 0.f, 255.f));
    }
  }
  return result;
}

// Pixel (y, x) of the result, from the middle, is that at (a y + b x + up,
// c y + d x + left) of the image, or black.
struct Affine {
  float a = 1, b = 0, up = 0;
  float c = 0, d = 1, left = 0;
};

Array moved(const Array& image, const Affine& map) {
  const int64_t height = image.shape()[0], width = image.shape()[1];
  const float middle_y = static_cast<float>(height - 1) / 2;
  const float middle_x = static_cast<float>(width - 1) / 2;
  const uint8_t* from = image.span<uint8_t>().data();
  Array result = Array::zeros(image.shape(), DType::uint8);
  uint8_t* to = result.mutable_span<uint8_t>().data();
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x, to += kChannels) {
      const float down = static_cast<float>(y) - middle_y;
      const float right = static_cast<float>(x) - middle_x;
      const int64_t row =
          std::lround(map.a * down + map.b * right + map.up + middle_y);
      const int64_t column =
          std::lround(map.c * down + map.d * right + map.left + middle_x);
      if (row < 0 || row >= height || column < 0 || column >= width) continue;
      std::memcpy(
          to, from + (row * width + column) * static_cast<int64_t>(kChannels),
          kChannels);
    }
  }
  return result;
}

// One of the changes, of this strength from 0 to 1; those with a direction
// have either.
Array changed(const Array& image, int64_t kind, double strength,
              StatelessNumbers& numbers) {
  const bool negative = numbers.uniform() < 0.5f;
  const auto signed_strength =
      static_cast<float>(negative ? -strength : strength);
  const auto height = static_cast<float>(image.shape()[0]);
  const auto width = static_cast<float>(image.shape()[1]);
  switch (kind) {
    case 0:
      return auto_contrast(image);
    case 1:
      return equalize(image);
    case 2: {
      const float angle = signed_strength * static_cast<float>(M_PI / 6);
      const float cosine = std::cos(angle), sine = std::sin(angle);
      return moved(image, {cosine, sine, 0, -sine, cosine, 0});
    }
    case 3:
      return by_value(image, [limit = 256 * (1 - strength)](int value) {
        return value < limit ? value : 255 - value;
      });
    case 4:
      return adjust_saturation(image, 1 + 0.9 * signed_strength);
    case 5:
      return by_value(image, [bits = static_cast<int>(4 * strength)](
                                 int value) { return value >> bits << bits; });
    case 6:
      return adjust_contrast(image, 1 + 0.9 * signed_strength);
    case 7:
      return adjust_brightness(image, 0.5 * signed_strength);
    case 8:
      return sharpness(image, 1 + 0.9f * signed_strength);
    case 9:
      return moved(image, {.c = 0.3f * signed_strength});
    case 10:
      return moved(image, {.b = 0.3f * signed_strength});
    case 11:
      return moved(image, {.left = 0.3f * signed_strength * width});
    case 12:
      return moved(image, {.up = 0.3f * signed_strength * height});
    default:
      return image;
  }
}
constexpr int64_t kKinds = 14;

}  // namespace

RandAugment::RandAugment(const RandAugmentOptions& options)
    : options_(options) {
  if (options.num_ops < 0 || options.factor < 0 || options.factor > 1) {
    internal::Message("RandAugment")
        .expected("num_ops of at least 0 and a factor from 0 to 1")
        .got(options.num_ops, " and ", options.factor)
        .raise<ValueError>();
  }
  if (options.value_range.lower < options.value_range.upper) return;
  internal::Message("RandAugment")
      .expected("a value_range that rises")
      .got("{", options.value_range.lower, ", ", options.value_range.upper, "}")
      .raise<ValueError>();
}

Array RandAugment::operator()(const Array& images) const {
  const Pixels in = detail::pixels_of("RandAugment", images);
  const bool floats = is_floating(images.dtype());
  if ((images.dtype() != DType::uint8 && !floats) || in.channels != 3) {
    internal::Message("RandAugment")
        .expected("images of 3 channels, of uint8 or of floating-point numbers")
        .got(images.spec())
        .raise<TypeError>();
  }
  if (floats) {
    // Of value_range as 0 to 255, and back.
    const auto lower = static_cast<float>(options_.value_range.lower);
    const float step =
        (static_cast<float>(options_.value_range.upper) - lower) / 255.F;
    const Array steps = (cast<float>(images) - lower) / step + 0.5F;
    const Array changed =
        (*this)(cast<uint8_t>(maximum(minimum(steps, 255.F), 0.F)));
    return cast(cast<float>(changed) * step + lower, images.dtype());
  }
  StatelessNumbers numbers(detail::fresh_seed());
  Array result = Array::uninitialized(images.spec());
  std::byte* out = result.mutable_data();
  for (int64_t i = 0; i < in.count; ++i, out += in.image_bytes()) {
    Array image = images.rank() == 4 ? images[i] : images;
    for (int k = 0; k < options_.num_ops; ++k) {
      image =
          changed(image, numbers.integer(0, kKinds), options_.factor, numbers);
    }
    std::memcpy(out, image.data(), in.image_bytes());
  }
  return result;
}

}  // namespace systolic::image
