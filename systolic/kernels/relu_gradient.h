// The step from the gradient of a convolution's result to that of the linear
// convolution: cut off where a relu did, and summed for the bias.
//   relu_gradient({dy, y, masked, db}, pixels, channels);
#pragma once

#include <cstdint>

namespace systolic::internal::kernels {

/// What relu_gradient reads and writes; pixels of channels, row-major.
struct ReluGradient {
  const float* gradient = nullptr;  ///< of the result of the relu
  const float* result = nullptr;    ///< of the relu; null: there was none
  float* masked = nullptr;  ///< gets the gradient where result > 0, else 0;
                            ///< may be `gradient`; not written where `result`
                            ///< is null
  float* sums = nullptr;    ///< adds each channel's sum; null: not wanted
};

/// Computes both in one pass over `pixels` pixels of `channels` channels. The
/// order of summation depends on `pixels` alone.
void relu_gradient(const ReluGradient& data, int64_t pixels, int64_t channels);

}  // namespace systolic::internal::kernels
