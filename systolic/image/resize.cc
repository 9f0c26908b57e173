// Tested by: systolic/image/operations_test.cc
#include "systolic/image/resize.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "systolic/array/cast.h"
#include "systolic/array/manipulation.h"
#include "systolic/array/resize_weights.h"
#include "systolic/base/message.h"
#include "systolic/image/geometry.h"
#include "systolic/image/pixels.h"

namespace systolic::image {

using detail::Pixels;

namespace {

// The weights of both axes, with the type that the pixels are added in.
template <class T>
struct Weights {
  Weights(const internal::ResizeWeights& table)
      : taps(table.taps),
        starts(table.starts),
        values(table.weights.begin(), table.weights.end()) {}

  const T* of(int64_t i) const { return values.data() + i * taps; }
  int64_t start(int64_t i) const { return starts[static_cast<size_t>(i)]; }

  int64_t taps;
  std::vector<int64_t> starts;
  std::vector<T> values;
};

// The sum of rows with their weights: the pixels of one row of the result
// before its columns are made.
template <class In, class T>
void add_rows(const In* rows, int64_t stride, const T* weights, int64_t taps,
              T* sum) {
  std::fill_n(sum, stride, T(0));
  for (int64_t t = 0; t < taps; ++t) {
    const T weight = weights[t];
    if (weight == 0) continue;
    const In* row = rows + t * stride;
    for (int64_t i = 0; i < stride; ++i) {
      sum[i] += weight * static_cast<T>(row[i]);
    }
  }
}

// Columns of one row, of which each pixel has kChannels numbers; 0: any.
template <int kChannels, class T>
void add_columns(const T* row, const Weights<T>& weights, int64_t width,
                 int64_t any_channels, T* out) {
  const int64_t channels = kChannels > 0 ? kChannels : any_channels;
  for (int64_t x = 0; x < width; ++x, out += channels) {
    const T* from = row + weights.start(x) * channels;
    const T* weight = weights.of(x);
    for (int64_t c = 0; c < channels; ++c) {
      T sum = 0;
      for (int64_t t = 0; t < weights.taps; ++t) {
        sum += weight[t] * from[t * channels + c];
      }
      out[c] = sum;
    }
  }
}

template <class In, class T>
Array resize_sums(const Array& images, const Pixels& in, const Size& size,
                  const Weights<T>& rows, const Weights<T>& columns,
                  Array result) {
  const In* from = images.span<In>().data();
  T* to = result.mutable_span<T>().data();
  const int64_t stride = in.width * in.channels;
  std::vector<T> line(static_cast<size_t>(stride));
  for (int64_t i = 0; i < in.count; ++i, from += in.height * stride) {
    for (int64_t y = 0; y < size[0]; ++y, to += size[1] * in.channels) {
      add_rows(from + rows.start(y) * stride, stride, rows.of(y), rows.taps,
               line.data());
      if (in.channels == 3) {
        add_columns<3>(line.data(), columns, size[1], 3, to);
      } else if (in.channels == 1) {
        add_columns<1>(line.data(), columns, size[1], 1, to);
      } else {
        add_columns<0>(line.data(), columns, size[1], in.channels, to);
      }
    }
  }
  return result;
}

Array resize_nearest(const Array& images, const Pixels& in, const Size& size) {
  Array result = Array::uninitialized(
      {images.dtype(), detail::with_size(images, size[0], size[1])});
  const std::vector<int64_t> rows =
      internal::nearest_pixels(in.height, size[0]);
  const std::vector<int64_t> columns =
      internal::nearest_pixels(in.width, size[1]);
  std::byte* to = result.mutable_data();
  for (int64_t i = 0; i < in.count; ++i) {
    const std::byte* from =
        images.data() + static_cast<size_t>(i) * in.image_bytes();
    for (const int64_t y : rows) {
      const std::byte* row = from + static_cast<size_t>(y) * in.row_bytes();
      for (const int64_t x : columns) {
        to = std::copy_n(row + static_cast<size_t>(x) * in.pixel_bytes,
                         in.pixel_bytes, to);
      }
    }
  }
  return result;
}

}  // namespace

Array resize(const Array& images, const Size& wanted,
             const ResizeOptions& options) {
  const Pixels in = detail::pixels_of("resize", images);
  const SourceLocation where = SourceLocation::current();
  const Size size = detail::resized_size(images.spec(), wanted,
                                         options.preserve_aspect_ratio, where);
  const bool same = size == Size{in.height, in.width};
  const Shape shape = detail::with_size(images, size[0], size[1]);
  if (options.method == "nearest") {
    return same ? images : resize_nearest(images, in, size);
  }
  const bool wide = images.dtype() == DType::float64;
  // First, so that a size without end is refused before there are its weights.
  Array result = Array::uninitialized(
      {wide ? DType::float64 : DType::float32, same ? Shape{0} : shape});
  const internal::ResizeWeights rows = internal::resize_weights(
      in.height, size[0], options.method, options.antialias, where);
  const internal::ResizeWeights columns = internal::resize_weights(
      in.width, size[1], options.method, options.antialias, where);
  const DType dtype =
      is_floating(images.dtype()) ? images.dtype() : DType::float32;
  if (same) return cast(images, dtype);
  if (wide) {
    return resize_sums<double, double>(images, in, size, rows, columns,
                                       std::move(result));
  }
  if (images.dtype() == DType::uint8) {
    return resize_sums<uint8_t, float>(images, in, size, rows, columns,
                                       std::move(result));
  }
  return cast(resize_sums<float, float>(cast<float>(images), in, size, rows,
                                        columns, std::move(result)),
              dtype);
}

Array resize_with_pad(const Array& images, const Size& size,
                      const ResizeWithPadOptions& options) {
  detail::pixels_of("resize_with_pad", images);
  const detail::ResizeAndPad boxes =
      detail::resize_and_pad(images.spec(), size, SourceLocation::current());
  return pad_to_bounding_box(
      resize(images, boxes.resized,
             {.method = options.method, .antialias = options.antialias}),
      boxes.pad);
}

namespace {

// Where the i-th of `count` pixels between two places is, in pixels.
float place_of(int64_t i, int64_t count, float low, float high, int64_t size) {
  const auto last = static_cast<float>(size - 1);
  if (count == 1) return 0.5f * (low + high) * last;
  const float step = (high - low) * last / static_cast<float>(count - 1);
  return low * last + static_cast<float>(i) * step;
}

// One pixel at a place between pixels of an image.
struct Sampler {
  const float* image;
  int64_t height;
  int64_t width;
  int64_t channels;
  bool nearest;
  float outside;

  void sample(float y, float x, float* out) const {
    if (!(y >= 0 && y <= static_cast<float>(height - 1) && x >= 0 &&
          x <= static_cast<float>(width - 1))) {
      std::fill_n(out, channels, outside);
      return;
    }
    if (nearest) {
      std::copy_n(at(std::lround(y), std::lround(x)), channels, out);
      return;
    }
    const auto top = static_cast<int64_t>(std::floor(y));
    const auto bottom = static_cast<int64_t>(std::ceil(y));
    const auto left = static_cast<int64_t>(std::floor(x));
    const auto right = static_cast<int64_t>(std::ceil(x));
    const float down = y - static_cast<float>(top);
    const float along = x - static_cast<float>(left);
    const float* corners[] = {at(top, left), at(top, right), at(bottom, left),
                              at(bottom, right)};
    for (int64_t c = 0; c < channels; ++c) {
      const float above =
          corners[0][c] + (corners[1][c] - corners[0][c]) * along;
      const float below =
          corners[2][c] + (corners[3][c] - corners[2][c]) * along;
      out[c] = above + (below - above) * down;
    }
  }

 private:
  const float* at(int64_t y, int64_t x) const {
    return image + (y * width + x) * channels;
  }
};

void check_indices(const Array& box_indices, int64_t count) {
  const Array indices = cast<int64_t>(box_indices);
  for (const int64_t index : indices.span<int64_t>()) {
    if (index >= 0 && index < count) continue;
    internal::Message("crop_and_resize")
        .expected("box_indices in 0 ... ", count - 1)
        .got(index)
        .raise<OutOfRangeError>();
  }
}

}  // namespace

Array crop_and_resize(const Array& images, const Array& boxes,
                      const Array& box_indices, const Size& crop_size,
                      const CropAndResizeOptions& options) {
  detail::require_boxes(images.spec(), boxes.spec(), box_indices.spec(),
                        crop_size, options, SourceLocation::current());
  check_indices(box_indices, images.shape()[0]);
  const Array from = cast<float>(images);
  const Array corners = cast<float>(boxes);
  const Array places = cast<int64_t>(box_indices);
  const int64_t height = images.shape()[1], width = images.shape()[2];
  const int64_t channels = images.shape()[3];
  Array result = Array::uninitialized(
      {DType::float32,
       {boxes.shape()[0], crop_size[0], crop_size[1], channels}});
  float* out = result.mutable_span<float>().data();
  const float* corner = corners.span<float>().data();
  for (const int64_t place : places.span<int64_t>()) {
    const Sampler sampler{
        .image = from.span<float>().data() + place * height * width * channels,
        .height = height,
        .width = width,
        .channels = channels,
        .nearest = options.method == "nearest",
        .outside = static_cast<float>(options.extrapolation_value)};
    for (int64_t y = 0; y < crop_size[0]; ++y) {
      const float row = place_of(y, crop_size[0], corner[0], corner[2], height);
      for (int64_t x = 0; x < crop_size[1]; ++x, out += channels) {
        sampler.sample(
            row, place_of(x, crop_size[1], corner[1], corner[3], width), out);
      }
    }
    corner += 4;
  }
  return result;
}

}  // namespace systolic::image
