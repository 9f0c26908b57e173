#include "systolic/runtime/memory.h"

#include <fstream>
#include <string>

#include "systolic/runtime/client_impl.h"

namespace systolic::internal::runtime {

MemoryStats memory_stats(const Device& device) {
  const pjrt::Device& plugin_device =
      device.client->impl().devices[static_cast<size_t>(device.index)];
  const auto figures = plugin_device.memory_stats();
  if (!figures) return process_memory();
  return {.bytes_in_use = figures->bytes_in_use,
          .peak_bytes = figures->peak_bytes_in_use,
          .bytes_limit = figures->bytes_limit};
}

MemoryStats process_memory() {
  constexpr int64_t kKib = 1024;
  MemoryStats stats{.is_process = true};
  std::ifstream status("/proc/self/status");
  std::string label;
  int64_t number = 0;
  while (status >> label) {
    if (label == "VmRSS:" && status >> number) {
      stats.bytes_in_use = number * kKib;
    } else if (label == "VmHWM:" && status >> number) {
      stats.peak_bytes = number * kKib;
    }
  }
  return stats;
}

}  // namespace systolic::internal::runtime
