// What a platform can do. Code outside this room asks for a capability and
// never for a platform's name: `if (client.has(Capability::ffi_kernels))`.
#pragma once

#include <string_view>

namespace systolic::internal::platforms {

enum class Capability {
  ffi_kernels,        // our kernel library is loaded and registered
  fast_convolution,   // plain StableHLO convolutions are fast, loops included
  host_memory,        // device memory is the host's memory
  virtual_devices,    // one machine can be shown as several devices
  memory_statistics,  // the plugin reports the device's memory in use
  half_precision,     // bfloat16 matrix products are faster than float32
  double_precision,   // float64 is computed by the hardware
  fused_products,     // a product over an axis may become one with its readers
};

// "ffi_kernels": the capability's name as the documentation spells it.
std::string_view name(Capability capability);

}  // namespace systolic::internal::platforms
