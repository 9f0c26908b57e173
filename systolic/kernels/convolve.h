// Runs a convolution on several threads: the batch is cut into slices, each a
// convolution of its own on one thread.
//   convolve(problem, 4, {x, w, nullptr, y});
#pragma once

#include "systolic/kernels/onednn.h"

namespace systolic::internal::kernels {

/// The data of a forward convolution; `bias` is null where the problem has
/// none; `destination` is written.
struct ConvolutionData {
  void* source = nullptr;
  void* filter = nullptr;
  void* bias = nullptr;
  void* destination = nullptr;
};

/// Computes a forward `problem`, whose `threads` is ignored, on at most
/// `threads` threads. The sizes must not be 0. For equal `threads` results are
/// equal to the bit. Throws pjrt::FfiError where shapes do not fit together.
void convolve(const ConvolutionProblem& problem, int threads,
              const ConvolutionData& data);

}  // namespace systolic::internal::kernels
