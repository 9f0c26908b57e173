#include "systolic/kernels/pooling.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "systolic/kernels/attributes.h"
#include "systolic/kernels/clones.h"
#include "systolic/kernels/kernels.h"
#include "systolic/kernels/threads.h"

namespace systolic::internal::kernels {
namespace {

using pjrt::FfiBuffer;
using pjrt::FfiCall;
using pjrt::FfiError;
using pjrt::ffi_abi::ElementType;
using pjrt::ffi_abi::ErrorCode;

// Channels at once: their state stays in registers.
constexpr int64_t kBlock = 32;

// Positions [first, last) of one axis that window `index` covers.
struct Range {
  int64_t first;
  int64_t last;
};

Range range(const Pooling& p, int axis, int64_t index) {
  int64_t start = index * p.strides[axis] - p.low[axis];
  return {std::max<int64_t>(0, start),
          std::min(p.source[axis + 1], start + p.window[axis])};
}

// The part of an image that one output pixel covers: `height` by `length`
// pixels from `first` on.
struct Patch {
  int64_t width;     // of the image
  int64_t channels;  // of the image
  int64_t first;     // offset in the image
  int64_t height;
  int64_t length;

  // The offset from the first pixel.
  int64_t at(int64_t row, int64_t column) const {
    return (row * width + column) * channels;
  }
};

// So that all of it is compiled once for each instruction set.
#define SYSTOLIC_INLINE [[gnu::always_inline]] inline
#define SYSTOLIC_INLINE_LAMBDA __attribute__((always_inline))

// The maximum of `count` channels; `x` is the patch's first pixel.
SYSTOLIC_INLINE void maximum_of(const float* x, const Patch& patch,
                                int64_t count, float* y) {
  float best[kBlock];
#pragma omp simd
  for (int64_t c = 0; c < count; ++c) {
    best[c] = -std::numeric_limits<float>::infinity();
  }
  for (int64_t row = 0; row < patch.height; ++row) {
    for (int64_t column = 0; column < patch.length; ++column) {
      const float* pixel = x + patch.at(row, column);
#pragma omp simd
      for (int64_t c = 0; c < count; ++c) {
        float value = pixel[c];
        best[c] = ((value > best[c]) | (value != value)) ? value : best[c];
      }
    }
  }
#pragma omp simd
  for (int64_t c = 0; c < count; ++c) y[c] = best[c];
}

// Adds `dy` to `dx` where the maximum of `count` channels is found; writes it
// there, and 0 elsewhere, where no other window reaches.
template <bool kAdd>
SYSTOLIC_INLINE void scatter_of(const float* x, const Patch& patch,
                                int64_t count, const float* dy, float* dx) {
  float best[kBlock];
  int32_t where[kBlock];
#pragma omp simd
  for (int64_t c = 0; c < count; ++c) {
    best[c] = x[c];
    where[c] = 0;
  }
  int32_t position = 0;
  for (int64_t row = 0; row < patch.height; ++row) {
    for (int64_t column = 0; column < patch.length; ++column) {
      const float* pixel = x + patch.at(row, column);
#pragma omp simd
      for (int64_t c = 0; c < count; ++c) {
        float value = pixel[c];
        bool take = (value > best[c]) | (value != value);
        best[c] = take ? value : best[c];
        where[c] = take ? position : where[c];
      }
      ++position;
    }
  }
  position = 0;
  for (int64_t row = 0; row < patch.height; ++row) {
    for (int64_t column = 0; column < patch.length; ++column) {
      float* pixel = dx + patch.at(row, column);
#pragma omp simd
      for (int64_t c = 0; c < count; ++c) {
        const float value = where[c] == position ? dy[c] : 0.f;
        pixel[c] = kAdd ? pixel[c] + value : value;
      }
      ++position;
    }
  }
}

// One output pixel: the maximum of each channel. Whole blocks have a constant
// number of channels, which the compiler unrolls.
SYSTOLIC_INLINE void maximum(const float* image, const Patch& patch, float* y) {
  const float* x = image + patch.first;
  int64_t c = 0;
  for (; c + kBlock <= patch.channels; c += kBlock) {
    maximum_of(x + c, patch, kBlock, y + c);
  }
  if (c < patch.channels) {
    maximum_of(x + c, patch, patch.channels - c, y + c);
  }
}

// One output pixel: its gradient goes where each channel's maximum is.
template <bool kAdd>
SYSTOLIC_INLINE void scatter(const float* image, const Patch& patch,
                             const float* dy, float* image_gradient) {
  const float* x = image + patch.first;
  float* dx = image_gradient + patch.first;
  int64_t c = 0;
  for (; c + kBlock <= patch.channels; c += kBlock) {
    scatter_of<kAdd>(x + c, patch, kBlock, dy + c, dx + c);
  }
  if (c < patch.channels) {
    scatter_of<kAdd>(x + c, patch, patch.channels - c, dy + c, dx + c);
  }
}

// Calls visit(patch, column) for the windows of one output row; the commonest
// window with constant sizes, for which the compiler makes code of its own.
template <class Visit>
SYSTOLIC_INLINE void for_each_window(const Pooling& p, int64_t row,
                                     Visit visit) {
  const int64_t width = p.source[2], channels = p.source[3];
  const Range rows = range(p, 0, row);
  for (int64_t column = 0; column < p.destination[2]; ++column) {
    const Range columns = range(p, 1, column);
    const int64_t first = (rows.first * width + columns.first) * channels;
    const int64_t height = std::max<int64_t>(0, rows.last - rows.first);
    const int64_t length = std::max<int64_t>(0, columns.last - columns.first);
    if (height == 2 && length == 2) {
      visit(Patch{width, channels, first, 2, 2}, column);
    } else {
      visit(Patch{width, channels, first, height, length}, column);
    }
  }
}

SYSTOLIC_KERNEL_CLONES
void maximum_row(const Pooling& p, const float* image, int64_t row, float* y) {
  for_each_window(
      p, row, [&](const Patch& patch, int64_t column) SYSTOLIC_INLINE_LAMBDA {
        maximum(image, patch, y + column * patch.channels);
      });
}

SYSTOLIC_KERNEL_CLONES
void add_row(const Pooling& p, const float* image, int64_t row, const float* dy,
             float* dx) {
  for_each_window(
      p, row, [&](const Patch& patch, int64_t column) SYSTOLIC_INLINE_LAMBDA {
        if (patch.height == 0 || patch.length == 0) return;
        scatter<true>(image, patch, dy + column * patch.channels, dx);
      });
}

SYSTOLIC_KERNEL_CLONES
void write_row(const Pooling& p, const float* image, int64_t row,
               const float* dy, float* dx) {
  for_each_window(
      p, row, [&](const Patch& patch, int64_t column) SYSTOLIC_INLINE_LAMBDA {
        scatter<false>(image, patch, dy + column * patch.channels, dx);
      });
}

void forward_images(const Pooling& p, int threads, const float* x, float* y) {
  const int64_t rows = p.destination[1];
  const int64_t line = p.destination[2] * p.destination[3];
  const int64_t size = p.source_size();
  parallel(p.source[0] * rows, threads, [&, rows, line, size](int64_t at) {
    maximum_row(p, x + at / rows * size, at % rows, y + at * line);
  });
}

// Whether the windows lie side by side, whole, so that each pixel belongs to
// one of them or, at the end of a row or of the image, to none.
bool side_by_side(const Pooling& p) {
  for (int axis = 0; axis < 2; ++axis) {
    if (p.low[axis] != 0 || p.strides[axis] != p.window[axis] ||
        p.destination[axis + 1] * p.window[axis] > p.source[axis + 1]) {
      return false;
    }
  }
  return true;
}

void clear(float* values, int64_t count) {
  std::memset(values, 0, sizeof(float) * count);
}

// One image where the windows lie side by side: every pixel is written once.
void write_image(const Pooling& p, const float* x, const float* dy, float* dx) {
  const auto [images, height, width, channels] = p.source;
  const int64_t rows = p.destination[1];
  const int64_t line = p.destination[2] * channels;
  const int64_t covered = p.destination[2] * p.window[1];
  for (int64_t row = 0; row < rows; ++row) {
    write_row(p, x, row, dy + row * line, dx);
    if (covered == width) continue;
    for (int64_t i = row * p.window[0]; i < (row + 1) * p.window[0]; ++i) {
      clear(dx + (i * width + covered) * channels,
            (width - covered) * channels);
    }
  }
  const int64_t used = rows * p.window[0] * width * channels;
  clear(dx + used, height * width * channels - used);
}

void add_image(const Pooling& p, const float* x, const float* dy, float* dx) {
  const auto [images, height, width, channels] = p.source;
  const int64_t line = p.destination[2] * channels;
  // Cleared just before it is used, while it stays in the cache.
  clear(dx, height * width * channels);
  for (int64_t row = 0; row < p.destination[1]; ++row) {
    add_row(p, x, row, dy + row * line, dx);
  }
}

void forward(const FfiCall& call) {
  FfiBuffer x = call.argument(0, ElementType::float32, 4);
  FfiBuffer y = call.result(0, ElementType::float32, 4);
  const Pooling p = pooling_of(call, "", x, y);
  if (y.elements() == 0) return;
  forward_images(p, threads_of(call), static_cast<const float*>(x.data),
                 static_cast<float*>(y.data));
}

void gradient(const FfiCall& call) {
  FfiBuffer x = call.argument(0, ElementType::float32, 4);
  FfiBuffer dy = call.argument(1, ElementType::float32, 4);
  FfiBuffer dx = call.result(0, ElementType::float32, 4);
  if (dimensions4(x) != dimensions4(dx)) {
    throw FfiError(
        ErrorCode::invalid_argument,
        "expected a gradient of " + x.to_string() + ", got " + dx.to_string());
  }
  const Pooling p = pooling_of(call, "", x, dy);
  if (dx.elements() == 0) return;
  parallel(p.source[0], threads_of(call), [&](int64_t image) {
    pool_gradient(
        p, static_cast<const float*>(x.data) + image * p.source_size(),
        static_cast<const float*>(dy.data) + image * p.destination_size(),
        static_cast<float*>(dx.data) + image * p.source_size());
  });
}

}  // namespace

Pooling pooling_of(const FfiCall& call, const std::string& prefix,
                   const FfiBuffer& x, const FfiBuffer& y) {
  const auto pair = [&](const char* name, int64_t fallback, int64_t least) {
    return pair_attribute(call, (prefix + name).c_str(), fallback, least);
  };
  Pooling p;
  p.source = dimensions4(x);
  p.destination = dimensions4(y);
  call.int64s((prefix + "window").c_str(), 2);  // required
  p.window = pair("window", 1, 1);
  p.strides = pair("strides", 1, 1);
  p.low = pair("padding_low", 0, 0);
  p.high = pair("padding_high", 0, 0);
  std::array<int64_t, 4> expected = p.source;
  for (int axis = 0; axis < 2; ++axis) {
    int64_t room = p.source[axis + 1] + p.low[axis] + p.high[axis];
    expected[axis + 1] = room < p.window[axis]
                             ? 0
                             : (room - p.window[axis]) / p.strides[axis] + 1;
  }
  if (expected != p.destination) {
    throw FfiError(ErrorCode::invalid_argument,
                   "window, strides and padding do not lead from " +
                       x.to_string() + " to " + y.to_string());
  }
  return p;
}

void pool_gradient(const Pooling& pooling, const float* x, const float* dy,
                   float* dx) {
  const auto gradient = side_by_side(pooling) ? write_image : add_image;
  gradient(pooling, x, dy, dx);
}

pjrt::ffi_abi::Error* systolic_max_pool2d_forward(
    pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_max_pool2d_forward", &forward);
}

pjrt::ffi_abi::Error* systolic_max_pool2d_gradient(
    pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_max_pool2d_gradient", &gradient);
}

}  // namespace systolic::internal::kernels
