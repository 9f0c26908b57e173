// Attributes of the kernels that have a default value.
//   auto strides = pair_attribute(call, "strides", 1);
#pragma once

#include <array>

#include "systolic/pjrt/ffi.h"

namespace systolic::internal::kernels {

/// Returns an `array<i64: 2>` attribute, {height, width}, or `fallback` twice
/// where it is absent. Throws FfiError for a value below `least`.
std::array<int64_t, 2> pair_attribute(const pjrt::FfiCall& call,
                                      const char* name, int64_t fallback,
                                      int64_t least);

/// Returns an `i1` attribute, false where it is absent.
bool flag(const pjrt::FfiCall& call, const char* name);

/// Returns the four dimensions of a buffer of rank 4.
std::array<int64_t, 4> dimensions4(const pjrt::FfiBuffer& buffer);

}  // namespace systolic::internal::kernels
