// Tested by: systolic/kernels/convolution_test.cc
#include "systolic/kernels/attributes.h"

#include <algorithm>

namespace systolic::internal::kernels {

std::array<int64_t, 2> pair_attribute(const pjrt::FfiCall& call,
                                      const char* name, int64_t fallback,
                                      int64_t least) {
  if (!call.has(name)) return {fallback, fallback};
  std::span<const int64_t> values = call.int64s(name, 2);
  for (int64_t value : values) {
    if (value >= least) continue;
    throw pjrt::FfiError(pjrt::ffi_abi::ErrorCode::invalid_argument,
                         "attribute \"" + std::string(name) +
                             "\": expected values >= " + std::to_string(least) +
                             ", got " + std::to_string(value));
  }
  return {values[0], values[1]};
}

bool flag(const pjrt::FfiCall& call, const char* name) {
  return call.has(name) && call.boolean(name);
}

std::array<int64_t, 4> dimensions4(const pjrt::FfiBuffer& buffer) {
  std::array<int64_t, 4> sizes{};
  std::copy_n(buffer.dimensions.begin(), sizes.size(), sizes.begin());
  return sizes;
}

}  // namespace systolic::internal::kernels
