#include "systolic/platforms/capability.h"

namespace systolic::internal::platforms {

std::string_view name(Capability capability) {
  switch (capability) {
    case Capability::ffi_kernels:
      return "ffi_kernels";
    case Capability::fast_convolution:
      return "fast_convolution";
    case Capability::host_memory:
      return "host_memory";
    case Capability::virtual_devices:
      return "virtual_devices";
    case Capability::memory_statistics:
      return "memory_statistics";
    case Capability::half_precision:
      return "half_precision";
    case Capability::double_precision:
      return "double_precision";
    case Capability::fused_products:
      return "fused_products";
  }
  return "unknown";
}

}  // namespace systolic::internal::platforms
