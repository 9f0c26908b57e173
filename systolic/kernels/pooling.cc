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

constexpr int64_t kBlock = 64;  // channels at once; their state fits in L1

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

// One output pixel: the maximum of each channel over rows and columns.
SYSTOLIC_KERNEL_CLONES
void maximum(const float* x, int64_t width, int64_t channels, Range rows,
             Range columns, float* y) {
  const float lowest = -std::numeric_limits<float>::infinity();
#pragma omp simd
  for (int64_t c = 0; c < channels; ++c) y[c] = lowest;
  for (int64_t row = rows.first; row < rows.last; ++row) {
    for (int64_t column = columns.first; column < columns.last; ++column) {
      const float* pixel = x + (row * width + column) * channels;
#pragma omp simd
      for (int64_t c = 0; c < channels; ++c) {
        float value = pixel[c];
        y[c] = (value > y[c]) | (value != value) ? value : y[c];
      }
    }
  }
}

// One output pixel: adds `dy` to `dx` where the maximum was found.
SYSTOLIC_KERNEL_CLONES
void scatter(const float* x, int64_t width, int64_t channels, Range rows,
             Range columns, const float* dy, float* dx) {
  for (int64_t start = 0; start < channels; start += kBlock) {
    const int64_t count = std::min(kBlock, channels - start);
    float best[kBlock];
    int32_t where[kBlock] = {};
    int32_t position = 0;
    const float* first =
        x + (rows.first * width + columns.first) * channels + start;
#pragma omp simd
    for (int64_t c = 0; c < count; ++c) best[c] = first[c];
    for (int64_t row = rows.first; row < rows.last; ++row) {
      for (int64_t column = columns.first; column < columns.last; ++column) {
        const float* pixel = x + (row * width + column) * channels + start;
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
    for (int64_t row = rows.first; row < rows.last; ++row) {
      for (int64_t column = columns.first; column < columns.last; ++column) {
        float* pixel = dx + (row * width + column) * channels + start;
#pragma omp simd
        for (int64_t c = 0; c < count; ++c) {
          pixel[c] += where[c] == position ? dy[start + c] : 0.f;
        }
        ++position;
      }
    }
  }
}

void forward_images(const Pooling& p, const float* x, float* y) {
  const auto [images, height, width, channels] = p.source;
  const int64_t rows = p.destination[1];
  const int64_t columns = p.destination[2];
  const int64_t size = height * width * channels;
  parallel(images * rows, p.threads, [&, width = width, channels = channels](
                                         int64_t line) {
    const float* image = x + line / rows * size;
    Range vertical = range(p, 0, line % rows);
    for (int64_t column = 0; column < columns; ++column) {
      maximum(image, width, channels, vertical, range(p, 1, column),
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
  parallel(images, p.threads, [&, width = width, channels = channels](
                                  int64_t image) {
    // Cleared just before it is used, while it stays in the cache.
    std::memset(dx + image * size, 0, sizeof(float) * size);
    for (int64_t row = 0; row < rows; ++row) {
      Range vertical = range(p, 0, row);
      if (vertical.first >= vertical.last) continue;
      for (int64_t column = 0; column < columns; ++column) {
        Range horizontal = range(p, 1, column);
        if (horizontal.first >= horizontal.last) continue;
        scatter(x + image * size, width, channels, vertical, horizontal,
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
    expected[axis + 1] =
        room < p.window[axis]
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
    throw FfiError(ErrorCode::invalid_argument,
                   "expected a gradient of " + x.to_string() + ", got " +
                       dx.to_string());
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
