#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "systolic/kernels/attributes.h"
#include "systolic/kernels/kernels.h"
#include "systolic/kernels/threads.h"

// The inner loops run over channels; the best of these versions is chosen when
// the library is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SYSTOLIC_KERNEL_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define SYSTOLIC_KERNEL_CLONES
#endif

namespace systolic::internal::kernels {
namespace {

using pjrt::FfiBuffer;
using pjrt::FfiCall;
using pjrt::FfiError;
using pjrt::ffi_abi::ElementType;
using pjrt::ffi_abi::ErrorCode;

// Channels at once: their state stays in registers.
constexpr int64_t kBlock = 32;

struct Pooling {
  std::array<int64_t, 4> source{};       // NHWC
  std::array<int64_t, 4> destination{};  // NHWC
  std::array<int64_t, 2> window{};
  std::array<int64_t, 2> strides{};
  std::array<int64_t, 2> low{};
  int threads = 1;
};

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

// The part of an image that one output pixel covers.
struct Patch {
  int64_t width;     // of the image
  int64_t channels;  // of the image
  Range rows;
  Range columns;

  int64_t first() const {
    return (rows.first * width + columns.first) * channels;
  }
  // The offset from the first pixel.
  int64_t at(int64_t row, int64_t column) const {
    return (row * width + column) * channels;
  }
  int64_t height() const { return rows.last - rows.first; }
  int64_t length() const { return columns.last - columns.first; }
};

// The maximum of `count` channels; `x` is the patch's first pixel.
[[gnu::always_inline]] inline void maximum_of(const float* x,
                                              const Patch& patch, int64_t count,
                                              float* y) {
  float best[kBlock];
#pragma omp simd
  for (int64_t c = 0; c < count; ++c) {
    best[c] = -std::numeric_limits<float>::infinity();
  }
  for (int64_t row = 0; row < patch.height(); ++row) {
    for (int64_t column = 0; column < patch.length(); ++column) {
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

// Adds `dy` to `dx` where the maximum of `count` channels is found.
[[gnu::always_inline]] inline void scatter_of(const float* x,
                                              const Patch& patch, int64_t count,
                                              const float* dy, float* dx) {
  float best[kBlock];
  int32_t where[kBlock];
#pragma omp simd
  for (int64_t c = 0; c < count; ++c) {
    best[c] = x[c];
    where[c] = 0;
  }
  int32_t position = 0;
  for (int64_t row = 0; row < patch.height(); ++row) {
    for (int64_t column = 0; column < patch.length(); ++column) {
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
  for (int64_t row = 0; row < patch.height(); ++row) {
    for (int64_t column = 0; column < patch.length(); ++column) {
      float* pixel = dx + patch.at(row, column);
#pragma omp simd
      for (int64_t c = 0; c < count; ++c) {
        pixel[c] += where[c] == position ? dy[c] : 0.f;
      }
      ++position;
    }
  }
}

// One output pixel: the maximum of each channel. Whole blocks have a constant
// number of channels, which the compiler unrolls.
SYSTOLIC_KERNEL_CLONES
void maximum(const float* image, const Patch& patch, float* y) {
  const float* x = image + patch.first();
  int64_t c = 0;
  for (; c + kBlock <= patch.channels; c += kBlock) {
    maximum_of(x + c, patch, kBlock, y + c);
  }
  if (c < patch.channels) {
    maximum_of(x + c, patch, patch.channels - c, y + c);
  }
}

// One output pixel: adds its gradient where each channel's maximum was found.
SYSTOLIC_KERNEL_CLONES
void scatter(const float* image, const Patch& patch, const float* dy,
             float* image_gradient) {
  const float* x = image + patch.first();
  float* dx = image_gradient + patch.first();
  int64_t c = 0;
  for (; c + kBlock <= patch.channels; c += kBlock) {
    scatter_of(x + c, patch, kBlock, dy + c, dx + c);
  }
  if (c < patch.channels) {
    scatter_of(x + c, patch, patch.channels - c, dy + c, dx + c);
  }
}

void forward_images(const Pooling& p, const float* x, float* y) {
  const auto [images, height, width, channels] = p.source;
  const int64_t rows = p.destination[1];
  const int64_t columns = p.destination[2];
  const int64_t size = height * width * channels;
  parallel(images * rows, p.threads,
           [&, width = width, channels = channels](int64_t line) {
             const float* image = x + line / rows * size;
             Range vertical = range(p, 0, line % rows);
             for (int64_t column = 0; column < columns; ++column) {
               maximum(image, {width, channels, vertical, range(p, 1, column)},
                       y + (line * columns + column) * channels);
             }
           });
}

void gradient_images(const Pooling& p, const float* x, const float* dy,
                     float* dx) {
  const auto [images, height, width, channels] = p.source;
  const int64_t rows = p.destination[1];
  const int64_t columns = p.destination[2];
  const int64_t size = height * width * channels;
  parallel(images, p.threads,
           [&, width = width, channels = channels](int64_t image) {
             // Cleared just before it is used, while it stays in the cache.
             std::memset(dx + image * size, 0, sizeof(float) * size);
             for (int64_t row = 0; row < rows; ++row) {
               Range vertical = range(p, 0, row);
               if (vertical.first >= vertical.last) continue;
               for (int64_t column = 0; column < columns; ++column) {
                 Range horizontal = range(p, 1, column);
                 if (horizontal.first >= horizontal.last) continue;
                 scatter(
                     x + image * size, {width, channels, vertical, horizontal},
                     dy + ((image * rows + row) * columns + column) * channels,
                     dx + image * size);
               }
             }
           });
}

Pooling pooling_of(const FfiCall& call, const FfiBuffer& x,
                   const FfiBuffer& y) {
  Pooling p;
  p.source = dimensions4(x);
  p.destination = dimensions4(y);
  call.int64s("window", 2);  // required
  p.window = pair_attribute(call, "window", 1, 1);
  p.strides = pair_attribute(call, "strides", 1, 1);
  p.low = pair_attribute(call, "padding_low", 0, 0);
  p.threads = threads_of(call);
  std::array<int64_t, 2> high = pair_attribute(call, "padding_high", 0, 0);
  std::array<int64_t, 4> expected = p.source;
  for (int axis = 0; axis < 2; ++axis) {
    int64_t room = p.source[axis + 1] + p.low[axis] + high[axis];
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

void forward(const FfiCall& call) {
  FfiBuffer x = call.argument(0, ElementType::float32, 4);
  FfiBuffer y = call.result(0, ElementType::float32, 4);
  Pooling p = pooling_of(call, x, y);
  if (y.elements() == 0) return;
  forward_images(p, static_cast<const float*>(x.data),
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
  Pooling p = pooling_of(call, x, dy);
  if (dx.elements() == 0) return;
  gradient_images(p, static_cast<const float*>(x.data),
                  static_cast<const float*>(dy.data),
                  static_cast<float*>(dx.data));
}

}  // namespace

pjrt::ffi_abi::Error* systolic_max_pool2d_forward(
    pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_max_pool2d_forward", &forward);
}

pjrt::ffi_abi::Error* systolic_max_pool2d_gradient(
    pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_max_pool2d_gradient", &gradient);
}

}  // namespace systolic::internal::kernels
