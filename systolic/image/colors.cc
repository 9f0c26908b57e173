// Tested by: systolic/image/operations_test.cc
#include "systolic/image/colors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "systolic/array/arrays.h"
#include "systolic/base/message.h"
#include "systolic/image/decode.h"
#include "systolic/image/encode.h"
#include "systolic/image/pixels.h"

namespace systolic::image {

namespace {

// The greatest value of a dtype of whole numbers.
double greatest(DType dtype) {
  const auto bits = static_cast<int>(size_of(dtype) * 8);
  return std::ldexp(1.0, is_signed(dtype) ? bits - 1 : bits) - 1;
}

void require_colors(const char* who, const Array& images) {
  detail::require_colors(who, images.spec(), SourceLocation::current());
}

void require_channels(const char* who, const Array& images, int64_t channels) {
  if (images.rank() > 0 && images.shape()[-1] == channels) return;
  internal::Message(who)
      .expected("a last axis of ", channels, " channels")
      .got(images.shape())
      .raise<ShapeError>();
}

void require_floats(const char* who, const Array& images) {
  if (is_floating(images.dtype())) return;
  internal::Message(who)
      .expected("floating-point colours")
      .got(images.dtype())
      .hint("convert_image_dtype(x, DType::float32)")
      .raise<TypeError>();
}

// The colours as float32, to be changed in place.
Array floats_of(const char* who, const Array& images) {
  require_colors(who, images);
  return convert_image_dtype(images, DType::float32);
}

// Back to the dtype that the images had.
Array finished(const Array& floats, DType dtype) {
  return convert_image_dtype(floats, dtype, {.saturate = true});
}

// Every colour by a function of itself alone. A byte has only 256 values.
template <class F>
Array mapped(const char* who, const Array& images, const F& f) {
  require_colors(who, images);
  if (images.dtype() != DType::uint8) {
    Array floats = floats_of(who, images);
    for (float& x : floats.mutable_span<float>()) x = f(x);
    return finished(floats, images.dtype());
  }
  std::vector<uint8_t> all(256);
  for (int i = 0; i < 256; ++i) {
    all[static_cast<size_t>(i)] = static_cast<uint8_t>(i);
  }
  Array table = floats_of(who, Array::from(all));
  for (float& x : table.mutable_span<float>()) x = f(x);
  table = finished(table, DType::uint8);
  const auto values = table.span<uint8_t>();
  Array result = Array::uninitialized(images.spec());
  std::ranges::transform(images.span<uint8_t>(),
                         result.mutable_span<uint8_t>().begin(),
                         [&](uint8_t x) { return values[x]; });
  return result;
}

// Every pixel of three colours by a function that changes it in place.
template <class F>
Array mapped_pixels(const char* who, const Array& images, const F& f) {
  require_channels(who, images, 3);
  Array floats = floats_of(who, images);
  const auto values = floats.mutable_span<float>();
  for (size_t i = 0; i < values.size(); i += 3) f(&values[i]);
  return finished(floats, images.dtype());
}

void to_hsv(float* pixel) {
  const float r = pixel[0], g = pixel[1], b = pixel[2];
  const float value = std::max({r, g, b});
  const float range = value - std::min({r, g, b});
  float hue = 0;
  if (range > 0) {
    const float sixth = 1 / (6 * range);
    hue = r == value   ? (g - b) * sixth
          : g == value ? (b - r) * sixth + 2.f / 6
                       : (r - g) * sixth + 4.f / 6;
    if (hue < 0) hue += 1;
  }
  pixel[0] = hue;
  pixel[1] = value > 0 ? range / value : 0;
  pixel[2] = value;
}

void to_rgb(float* pixel) {
  const float place = pixel[0] * 6, saturation = pixel[1], value = pixel[2];
  const auto mixed = [&](float part) {
    return (1 - saturation + saturation * std::clamp(part, 0.f, 1.f)) * value;
  };
  pixel[0] = mixed(std::abs(place - 3) - 1);
  pixel[1] = mixed(2 - std::abs(place - 2));
  pixel[2] = mixed(2 - std::abs(place - 4));
}

// Bytes as parts of 255, in one pass: what most pipelines do with pictures.
Array bytes_as_parts(const Array& images) {
  Array result = Array::uninitialized({DType::float32, images.shape()});
  const std::span<const uint8_t> from = images.span<uint8_t>();
  const std::span<float> to = result.mutable_span<float>();
  constexpr float kFactor = 1.f / 255;
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<float>(from[i]) * kFactor;
  }
  return result;
}

// The bits of a whole number but for its sign.
int magnitude_bits(DType dtype) {
  return static_cast<int>(size_of(dtype) * 8) - (is_signed(dtype) ? 1 : 0);
}

// Whole numbers of another width: the wider one has the narrower one's bits
// in front. Only negative ones may have no place in the new dtype. In T, which
// holds all numbers that there are.
template <class T>
Array converted_integers(const Array& images, DType dtype,
                         const ConvertOptions& options) {
  const bool cut = options.saturate && !is_signed(dtype);
  const int more = magnitude_bits(dtype) - magnitude_bits(images.dtype());
  Array wide = cast<T>(images);
  for (T& x : wide.mutable_span<T>()) {
    if (cut) x = std::max<T>(x, 0);
    x = more > 0 ? x << more : x >> -more;  // down, as TensorFlow divides
  }
  return cast(wide, dtype);
}

}  // namespace

Array convert_image_dtype(const Array& images, DType dtype,
                          const ConvertOptions& options) {
  constexpr const char* kWho = "convert_image_dtype";
  require_colors(kWho, images);
  detail::require_color_dtype(dtype, SourceLocation::current());
  if (dtype == images.dtype()) return images;
  if (is_integer(images.dtype()) && is_integer(dtype)) {
    return images.dtype() == DType::uint64
               ? converted_integers<uint64_t>(images, dtype, options)
               : converted_integers<int64_t>(images, dtype, options);
  }
  if (is_floating(images.dtype()) && is_floating(dtype)) {
    return cast(images, dtype);
  }
  if (images.dtype() == DType::uint8 && dtype == DType::float32) {
    return bytes_as_parts(images);
  }
  const bool twice =
      dtype == DType::float64 || (is_integer(dtype) && size_of(dtype) > 2);
  Array values = cast(images, twice ? DType::float64 : DType::float32);
  const auto scale = [&](auto one) {
    using T = decltype(one);
    if (is_floating(dtype)) {
      const T factor = T(1) / static_cast<T>(greatest(images.dtype()));
      for (T& x : values.mutable_span<T>()) x *= factor;
      return;
    }
    const T factor = static_cast<T>(greatest(dtype) + 0.5);
    // What does not fit wraps in C++'s conversion from a wider integer.
    for (T& x : values.mutable_span<T>()) x *= factor;
  };
  twice ? scale(1.0) : scale(1.f);
  if (is_floating(dtype)) return cast(values, dtype);
  return options.saturate ? cast(values, dtype)
                          : cast(cast<int64_t>(values), dtype);
}

namespace {

// The sum of f(x), in several sums that do not wait for each other.
template <class F>
double sum_of(std::span<const float> values, const F& f) {
  constexpr size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) sums[k] += f(values[i + k]);
  }
  for (; i < values.size(); ++i) sums[0] += f(values[i]);
  double all = 0;
  for (const double sum : sums) all += sum;
  return all;
}

}  // namespace

Array rgb_to_grayscale(const Array& images) {
  constexpr const char* kWho = "rgb_to_grayscale";
  require_channels(kWho, images, 3);
  const Array floats = floats_of(kWho, images);
  Shape shape = images.shape();
  shape.set(-1, 1);
  Array gray = Array::uninitialized({DType::float32, shape});
  const float* pixel = floats.span<float>().data();
  for (float& x : gray.mutable_span<float>()) {
    x = 0.2989f * pixel[0] + 0.587f * pixel[1] + 0.114f * pixel[2];
    pixel += 3;
  }
  return finished(gray, images.dtype());
}

Array grayscale_to_rgb(const Array& images) {
  require_channels("grayscale_to_rgb", images, 1);
  return concatenate({images, images, images}, -1);
}

Array rgb_to_hsv(const Array& images) {
  require_floats("rgb_to_hsv", images);
  return mapped_pixels("rgb_to_hsv", images, to_hsv);
}

Array hsv_to_rgb(const Array& images) {
  require_floats("hsv_to_rgb", images);
  return mapped_pixels("hsv_to_rgb", images, to_rgb);
}

Array adjust_brightness(const Array& images, double delta) {
  const auto more = static_cast<float>(delta);
  return mapped("adjust_brightness", images,
                [more](float x) { return x + more; });
}

Array adjust_contrast(const Array& images, double contrast_factor) {
  constexpr const char* kWho = "adjust_contrast";
  const detail::Pixels in = detail::pixels_of(kWho, images);
  Array floats = floats_of(kWho, images);
  const auto factor = static_cast<float>(contrast_factor);
  const auto channels = static_cast<size_t>(in.channels);
  const auto pixels = static_cast<size_t>(in.height * in.width);
  float* image = floats.mutable_span<float>().data();
  for (int64_t i = 0; i < in.count; ++i, image += pixels * channels) {
    for (size_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (size_t p = 0; p < pixels; ++p) sum += image[p * channels + c];
      const auto mean = static_cast<float>(sum / static_cast<double>(pixels));
      for (size_t p = 0; p < pixels; ++p) {
        float& x = image[p * channels + c];
        x = (x - mean) * factor + mean;
      }
    }
  }
  return finished(floats, images.dtype());
}

Array adjust_gamma(const Array& images, double gamma, double gain) {
  if (!(gamma >= 0)) {
    internal::Message("adjust_gamma")
        .expected("a gamma of at least 0")
        .got(gamma)
        .raise<ValueError>();
  }
  const auto power = static_cast<float>(gamma);
  const auto factor = static_cast<float>(gain);
  return mapped("adjust_gamma", images,
                [=](float x) { return factor * std::pow(x, power); });
}

Array adjust_saturation(const Array& images, double saturation_factor) {
  const auto factor = static_cast<float>(saturation_factor);
  return mapped_pixels("adjust_saturation", images, [factor](float* pixel) {
    to_hsv(pixel);
    pixel[1] = std::clamp(pixel[1] * factor, 0.f, 1.f);
    to_rgb(pixel);
  });
}

Array adjust_hue(const Array& images, double delta) {
  const auto turn = static_cast<float>(delta);
  return mapped_pixels("adjust_hue", images, [turn](float* pixel) {
    to_hsv(pixel);
    const float hue = pixel[0] + turn;
    pixel[0] = hue - std::floor(hue);
    to_rgb(pixel);
  });
}

Array adjust_jpeg_quality(const Array& image, int jpeg_quality) {
  require_colors("adjust_jpeg_quality", image);
  const Array bytes =
      convert_image_dtype(image, DType::uint8, {.saturate = true});
  const Array shown =
      decode_jpeg(encode_jpeg(bytes, {.quality = jpeg_quality}),
                  {.channels = static_cast<int>(image.shape()[-1])});
  return convert_image_dtype(shown, image.dtype(), {.saturate = true});
}

Array per_image_standardization(const Array& images) {
  constexpr const char* kWho = "per_image_standardization";
  const detail::Pixels in = detail::pixels_of(kWho, images);
  require_colors(kWho, images);
  const DType dtype =
      is_floating(images.dtype()) ? images.dtype() : DType::float32;
  Array floats = cast<float>(images);
  const auto size = static_cast<size_t>(in.height * in.width * in.channels);
  const auto all = floats.mutable_span<float>();
  for (size_t i = 0; size > 0 && i < all.size(); i += size) {
    const std::span<float> image = all.subspan(i, size);
    const auto count = static_cast<double>(size);
    const double mean =
        sum_of(image, [](float x) { return double{x}; }) / count;
    const double squares =
        sum_of(image, [mean](float x) { return (x - mean) * (x - mean); });
    const auto deviation = static_cast<float>(
        std::max(std::sqrt(squares / count), 1 / std::sqrt(count)));
    const auto middle = static_cast<float>(mean);
    for (float& x : image) x = (x - middle) / deviation;
  }
  return cast(floats, dtype);
}

}  // namespace systolic::image
