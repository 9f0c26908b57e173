// The gradients of a convolution, all that are wanted in one go: while a few
// images' gradients are in the cache they are cut off where the relu did,
// summed for the bias, and multiplied by the filter and by the input. Where a
// max pooling follows the convolution, they are spread before.
//   convolve_gradient(problem, 4, {.gradient = dy, .input = x, ...});
#pragma once

#include "systolic/kernels/onednn.h"
#include "systolic/kernels/pooling.h"

namespace systolic::internal::kernels {

/// The data of a convolution's gradients; null where not wanted or needed.
struct GradientData {
  const float* gradient = nullptr;   ///< of the result, or of its pooling
  const float* result = nullptr;     ///< y, for `relu` and `pooling`
  const float* input = nullptr;      ///< x, for the filter's gradient
  const float* filter = nullptr;     ///< w, for the input's gradient
  float* input_gradient = nullptr;   ///< written where not null
  float* filter_gradient = nullptr;  ///< written where not null
  float* bias_gradient = nullptr;    ///< written where not null
  bool relu = false;                 ///< whether y is that of a relu
  const Pooling* pooling = nullptr;  ///< of y, where `gradient` is behind it
};

/// Computes gradients of `problem`, whose `kind`, `bias`, `relu` and `threads`
/// are ignored, on at most `threads` threads. The sizes must not be 0. For
/// equal `threads` results are equal to the bit. Throws pjrt::FfiError where
/// shapes do not fit together.
void convolve_gradient(const ConvolutionProblem& problem, int threads,
                       const GradientData& data);

}  // namespace systolic::internal::kernels
