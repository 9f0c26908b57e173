// What max and average pooling share, and max pooling of single images, for the
// kernels that take whole batches.
//   const Pooling pooling = pooling_of(call, "", x, y);
//   pool_gradient(pooling, image, dy, dx);
#pragma once

#include <array>
#include <string>

#include "systolic/pjrt/ffi.h"

namespace systolic::internal::kernels {

/// A pooling of NHWC images; f32.
struct Pooling {
  std::array<int64_t, 4> source{};       ///< NHWC
  std::array<int64_t, 4> destination{};  ///< NHWC
  std::array<int64_t, 2> window{};
  std::array<int64_t, 2> strides{};
  std::array<int64_t, 2> low{};   ///< padding before the first pixel
  std::array<int64_t, 2> high{};  ///< padding after the last pixel

  /// Returns the number of floats of one image before pooling.
  int64_t source_size() const { return source[1] * source[2] * source[3]; }

  /// Returns the number of floats of one image after pooling.
  int64_t destination_size() const {
    return destination[1] * destination[2] * destination[3];
  }
};

/// Returns the pooling of a call from `x` to `y`, whose attributes are called
/// `prefix` + "window", "strides", "padding_low" and "padding_high". Throws
/// pjrt::FfiError where they do not lead from x to y.
Pooling pooling_of(const pjrt::FfiCall& call, const std::string& prefix,
                   const pjrt::FfiBuffer& x, const pjrt::FfiBuffer& y);

/// Writes the gradient of one image's maxima: `dy` where the maxima of `x` are,
/// else 0.
void pool_gradient(const Pooling& pooling, const float* x, const float* dy,
                   float* dx);

}  // namespace systolic::internal::kernels
