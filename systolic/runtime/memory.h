// How much memory a device uses.
//
//   MemoryStats stats = memory_stats(client.device(0));
//   std::cout << stats.bytes_in_use;
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/runtime/device.h"

namespace systolic::internal::runtime {

// Memory figures in bytes.
struct MemoryStats {
  int64_t bytes_in_use = 0;
  std::optional<int64_t> peak_bytes = {};
  std::optional<int64_t> bytes_limit = {};
  // Whether the figures are the whole process's resident memory, because the
  // plugin does not say what the device uses.
  bool is_process = false;
};

// The memory a device uses now.
MemoryStats memory_stats(const Device& device);

// The process's resident memory, now and at its highest.
MemoryStats process_memory();

}  // namespace systolic::internal::runtime
