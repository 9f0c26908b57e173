// TPUs by name: what "v3-8" is made of, and what "virtual:v3-8" asks for.
//
//   TpuSlice slice = parse_tpu("v3-8");      // 4 chips, 8 cores, 8 devices
//   auto rehearsal = parse_virtual_tpu("virtual:v3-8");
//   tpu_topology_name(slice).name;           // "v3:2x2", as libtpu has it
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/platforms/tpu_hardware.h"

namespace systolic::internal::platforms {

// Some chips of one generation.
struct TpuSlice {
  const TpuGeneration* generation = nullptr;
  int chips = 0;
  int cores = 0;
  int devices = 0;  // what a program sees; one replica each

  // "v3-8".
  std::string name() const;
  // Bytes of memory that one device has.
  int64_t memory_per_device() const;
};

// The slice of a name such as "v3-8", "v5e-4"; ValueError says what names
// look like.
TpuSlice parse_tpu(std::string_view name);

// The slice that "virtual:v3-8" rehearses on this machine; nothing for text
// without "virtual:"; ValueError for a name behind it that is none.
std::optional<TpuSlice> parse_virtual_tpu(std::string_view text);

// How the chips of a slice are wired: {2, 4} or {4, 4, 8}: the most compact
// grid there is of so many chips, by rising axes (those of one chip last).
std::vector<int> tpu_grid(const TpuSlice& slice);

// A topology as libtpu names it.
struct TpuTopologyName {
  std::string name;         // "v3:2x2"
  std::string chip_config;  // its option chip_config_name; may be empty
};

// The topology of a slice.
TpuTopologyName tpu_topology_name(const TpuSlice& slice);

// The slice to compile for, "v3-8", also written "virtual:v3-8"; ValueError
// lists the slices that exist for a name that is none of them.
TpuSlice parse_tpu_topology(std::string_view name);

// The names of the slices of a generation: "v3-8", "v3-32" ...
std::vector<std::string> tpu_slice_names(const TpuGeneration& generation);

}  // namespace systolic::internal::platforms
