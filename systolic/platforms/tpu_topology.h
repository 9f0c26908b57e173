// TPUs by name: what "v3-8" is made of, and what "virtual:v3-8" asks for.
//
//   TpuSlice slice = parse_tpu("v3-8");      // 4 chips, 8 cores, 8 devices
//   auto rehearsal = parse_virtual_tpu("virtual:v3-8");
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace systolic::internal::platforms {

// The hardware facts of one generation.
struct TpuGeneration {
  std::string_view name;        // "v3"
  int cores_per_chip;           // TensorCores
  int devices_per_chip;         // fewer where two cores act as one
  bool name_counts_chips;       // the number in "v5e-8" counts chips
  int64_t memory_per_chip;      // bytes of high-bandwidth memory
  double tflops_per_chip;       // peak, bfloat16
  double memory_gb_per_second;  // per chip
  int matrix_units_per_core;
  int matrix_unit_size;  // 128: 128 x 128
};

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

// The generations, oldest first.
std::span<const TpuGeneration> tpu_generations();

// The slice of a name such as "v3-8", "v5e-4"; ValueError says what names
// look like.
TpuSlice parse_tpu(std::string_view name);

// The slice that "virtual:v3-8" rehearses on this machine; nothing for text
// without "virtual:"; ValueError for a name behind it that is none.
std::optional<TpuSlice> parse_virtual_tpu(std::string_view text);

}  // namespace systolic::internal::platforms
