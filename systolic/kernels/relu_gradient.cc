#include "systolic/kernels/relu_gradient.h"

#include <algorithm>

#include "systolic/kernels/clones.h"

namespace systolic::internal::kernels {
namespace {

// Channels at once: their sums stay in registers.
constexpr int64_t kBlock = 64;

// `count` channels of all pixels, which are `step` floats apart.
template <bool kMask, bool kSum>
[[gnu::always_inline]] inline void channels_of(const ReluGradient& data,
                                               int64_t first, int64_t pixels,
                                               int64_t step, int64_t count) {
  float sums[kBlock] = {};
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    const int64_t at = pixel * step + first;
    const float* gradient = data.gradient + at;
    const float* result = kMask ? data.result + at : nullptr;
    float* masked = kMask ? data.masked + at : nullptr;
#pragma omp simd
    for (int64_t c = 0; c < count; ++c) {
      float value = gradient[c];
      if constexpr (kMask) {
        value = result[c] > 0.f ? value : 0.f;
        masked[c] = value;
      }
      if constexpr (kSum) sums[c] += value;
    }
  }
  if constexpr (kSum) {
    for (int64_t c = 0; c < count; ++c) data.sums[first + c] += sums[c];
  }
}

// A constant number of channels is unrolled by the compiler.
template <bool kMask, bool kSum>
[[gnu::always_inline]] inline void blocks_of(const ReluGradient& data,
                                             int64_t pixels, int64_t channels) {
  constexpr int64_t kHalf = kBlock / 2;
  int64_t c = 0;
  for (; c + kBlock <= channels; c += kBlock) {
    channels_of<kMask, kSum>(data, c, pixels, channels, kBlock);
  }
  for (; c + kHalf <= channels; c += kHalf) {
    channels_of<kMask, kSum>(data, c, pixels, channels, kHalf);
  }
  if (c < channels) {
    channels_of<kMask, kSum>(data, c, pixels, channels, channels - c);
  }
}

SYSTOLIC_KERNEL_CLONES
void mask_and_sum(const ReluGradient& data, int64_t pixels, int64_t channels) {
  blocks_of<true, true>(data, pixels, channels);
}

// All channels of all pixels are one row.
SYSTOLIC_KERNEL_CLONES
void mask(const ReluGradient& data, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    data.masked[i] = data.result[i] > 0.f ? data.gradient[i] : 0.f;
  }
}

SYSTOLIC_KERNEL_CLONES
void sum(const ReluGradient& data, int64_t pixels, int64_t channels) {
  blocks_of<false, true>(data, pixels, channels);
}

}  // namespace

void relu_gradient(const ReluGradient& data, int64_t pixels, int64_t channels) {
  if (data.result == nullptr) {
    if (data.sums != nullptr) sum(data, pixels, channels);
  } else if (data.sums == nullptr) {
    mask(data, pixels * channels);
  } else {
    mask_and_sum(data, pixels, channels);
  }
}

}  // namespace systolic::internal::kernels
