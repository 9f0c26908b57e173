// Prepared convolutions, kept because preparing one generates machine code,
// which takes milliseconds.
//   cached_convolution(problem)->run(x, w, nullptr, y);
#pragma once

#include <memory>

#include "systolic/kernels/onednn.h"

namespace systolic::internal::kernels {

/// Number of prepared convolutions that are kept; the one that was used least
/// recently goes first.
inline constexpr size_t kConvolutionCacheSize = 512;

/// Returns the prepared convolution for `problem`, making it where there is
/// none. Callable from several threads at once, each inside a ThreadScope of
/// `problem.threads`. Throws what make_convolution throws.
std::shared_ptr<const Convolution> cached_convolution(
    const ConvolutionProblem& problem);

/// Returns how many prepared convolutions are kept at the moment.
size_t cached_convolutions();

}  // namespace systolic::internal::kernels
