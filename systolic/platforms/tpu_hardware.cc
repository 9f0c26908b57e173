#include "systolic/platforms/tpu_hardware.h"

#include <array>

namespace systolic::internal::platforms {
namespace {

using enum TpuSource;

constexpr double kGb = 1e9;
constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr double kMib = 1024.0 * 1024;

constexpr std::array<int, 5> kV2Slices{4, 16, 64, 128, 256};
constexpr std::array<int, 8> kV3Slices{4, 16, 32, 64, 128, 256, 512, 1024};
constexpr std::array<int, 11> kV4Slices{4,   8,   16,   32,   64,  128,
                                        256, 512, 1024, 2048, 4096};
constexpr std::array<int, 8> kLiteSlices{1, 4, 8, 16, 32, 64, 128, 256};
constexpr std::array<int, 12> kV5pSlices{4,   8,   16,   32,   64,   128,
                                         256, 512, 1024, 2048, 4096, 6144};
constexpr std::array<int, 12> k7xSlices{4,   8,   16,   32,   64,   128,
                                        256, 512, 1024, 2048, 4096, 9216};

// Where sources differ: v3's peak is 140 and its memory 825 GB/s in JAX's
// table, v5p's memory 2,460 there. Flops a cycle are peak / (cores x clock);
// v6e's and tpu7x's twice what two 256 x 256 units give in one pass, which is
// what libtpu's cycles agree with.
constexpr std::array<TpuGeneration, 7> kGenerations{{
    {
        .name = "v2",
        .kind = "TPU v2",
        .cores_per_chip = 2,
        .devices_per_chip = 2,
        .name_counts_chips = false,
        .matrix_units_per_core = 1,
        .matrix_unit_size = 128,
        .torus_axes = 2,
        .wraps_from = 0,
        .slices = kV2Slices,
        .chip_config = "",
        .memory_per_chip = {16 * kGb, jax_tpu_info},
        .memory_gb_per_second = {716, jax_tpu_info},
        .vmem_per_core = {16 * kMib, jax_tpu_info},
        .tflops_per_chip = {46, jax_tpu_info},
        .clock_mhz = {700, derived},
        .flops_per_cycle = {32'768, derived},
        .link_gb_per_second = {},
        .links_gb_per_second = {},
        .all_reduce_gb_per_second = {},
        .host_gb_per_second = {},
    },
    {
        .name = "v3",
        .kind = "TPU v3",
        .cores_per_chip = 2,
        .devices_per_chip = 2,
        .name_counts_chips = false,
        .matrix_units_per_core = 2,
        .matrix_unit_size = 128,
        .torus_axes = 2,
        .wraps_from = 0,
        .slices = kV3Slices,
        .chip_config = "",
        .memory_per_chip = {32 * kGib, cloud_docs},
        .memory_gb_per_second = {900, cloud_docs},
        .vmem_per_core = {16 * kMib, jax_tpu_info},
        .tflops_per_chip = {123, cloud_docs},
        .clock_mhz = {940, derived},
        .flops_per_cycle = {65'536, derived},
        .link_gb_per_second = {100, scaling_book},
        .links_gb_per_second = {},
        .all_reduce_gb_per_second = {332, derived},
        .host_gb_per_second = {},
    },
    {
        .name = "v4",
        .kind = "TPU v4",
        .cores_per_chip = 2,
        .devices_per_chip = 1,
        .name_counts_chips = false,
        .matrix_units_per_core = 4,
        .matrix_unit_size = 128,
        .torus_axes = 3,
        .wraps_from = 4,
        .slices = kV4Slices,
        .chip_config = "megacore",
        .memory_per_chip = {32 * kGib, cloud_docs},
        .memory_gb_per_second = {1200, cloud_docs},
        .vmem_per_core = {16 * kMib, jax_tpu_info},
        .tflops_per_chip = {275, cloud_docs},
        .clock_mhz = {1050, derived},
        .flops_per_cycle = {131'072, derived},
        .link_gb_per_second = {45, scaling_book},
        .links_gb_per_second = {},
        .all_reduce_gb_per_second = {268, derived},
        .host_gb_per_second = {16, scaling_book},
    },
    {
        .name = "v5e",
        .kind = "TPU v5 lite",
        .cores_per_chip = 1,
        .devices_per_chip = 1,
        .name_counts_chips = true,
        .matrix_units_per_core = 4,
        .matrix_unit_size = 128,
        .torus_axes = 2,
        .wraps_from = 16,
        .slices = kLiteSlices,
        .chip_config = "",
        .memory_per_chip = {16 * kGb, cloud_docs},
        .memory_gb_per_second = {819, cloud_docs},
        .vmem_per_core = {128 * kMib, jax_tpu_info},
        .tflops_per_chip = {197, cloud_docs},
        .clock_mhz = {1500, derived},
        .flops_per_cycle = {131'072, derived},
        .link_gb_per_second = {45, scaling_book},
        .links_gb_per_second = {400, cloud_docs},
        .all_reduce_gb_per_second = {200, derived},
        .host_gb_per_second = {15, scaling_book},
    },
    {
        .name = "v5p",
        .kind = "TPU v5",
        .cores_per_chip = 2,
        .devices_per_chip = 1,
        .name_counts_chips = false,
        .matrix_units_per_core = 4,
        .matrix_unit_size = 128,
        .torus_axes = 3,
        .wraps_from = 4,
        .slices = kV5pSlices,
        .chip_config = "",
        .memory_per_chip = {95 * kGib, cloud_docs},
        .memory_gb_per_second = {2765, cloud_docs},
        .vmem_per_core = {64 * kMib, jax_tpu_info},
        .tflops_per_chip = {459, cloud_docs},
        .clock_mhz = {1750, derived},
        .flops_per_cycle = {131'072, derived},
        .link_gb_per_second = {90, scaling_book},
        .links_gb_per_second = {1200, cloud_docs},
        .all_reduce_gb_per_second = {},
        .host_gb_per_second = {},
    },
    {
        .name = "v6e",
        .kind = "TPU v6 lite",
        .cores_per_chip = 1,
        .devices_per_chip = 1,
        .name_counts_chips = true,
        .matrix_units_per_core = 2,
        .matrix_unit_size = 256,
        .torus_axes = 2,
        .wraps_from = 16,
        .slices = kLiteSlices,
        .chip_config = "",
        .memory_per_chip = {32 * kGb, cloud_docs},
        .memory_gb_per_second = {1638, cloud_docs},
        .vmem_per_core = {128 * kMib, jax_tpu_info},
        .tflops_per_chip = {918, cloud_docs},
        .clock_mhz = {1750, probe},
        .flops_per_cycle = {524'288, probe},
        .link_gb_per_second = {90, scaling_book},
        .links_gb_per_second = {800, cloud_docs},
        .all_reduce_gb_per_second = {400, derived},
        .host_gb_per_second = {32, orbax_guide},
    },
    {
        .name = "tpu7x",
        .kind = "TPU7x",
        .cores_per_chip = 2,
        .devices_per_chip = 2,
        .name_counts_chips = false,
        .matrix_units_per_core = 2,
        .matrix_unit_size = 256,
        .torus_axes = 3,
        .wraps_from = 4,
        .slices = k7xSlices,
        .chip_config = "",
        .memory_per_chip = {192 * kGib, cloud_docs},
        .memory_gb_per_second = {7380, cloud_docs},
        .vmem_per_core = {64 * kMib, jax_tpu_info},
        .tflops_per_chip = {2307, cloud_docs},
        .clock_mhz = {2200, probe},
        .flops_per_cycle = {524'288, probe},
        .link_gb_per_second = {},
        .links_gb_per_second = {1200, cloud_docs},
        .all_reduce_gb_per_second = {},
        .host_gb_per_second = {},
    },
}};

}  // namespace

std::string_view describe(TpuSource source) {
  switch (source) {
    case none:
      return "not published";
    case cloud_docs:
      return "Google Cloud's page of the generation, "
             "docs.cloud.google.com/tpu/docs/<generation>, 2026";
    case jax_tpu_info:
      return "JAX's jax/_src/tpu_info.py, August 2026";
    case scaling_book:
      return "jax-ml/scaling-book, tpus.md, February 2025";
    case orbax_guide:
      return "Orbax's guide, on PCIe 5";
    case derived:
      return "peak / (matrix units x 2 size^2), and a pod's all-reduce figure "
             "/ chips, of Google Cloud's page";
    case probe:
      return "libtpu 0.0.52: its cycles agree with the printed peak";
  }
  return "not published";
}

std::span<const TpuGeneration> tpu_generations() { return kGenerations; }

const TpuGeneration* find_tpu_generation(std::string_view name) {
  for (const TpuGeneration& generation : kGenerations) {
    if (generation.name == name) return &generation;
  }
  return name == "v5litepod" ? find_tpu_generation("v5e") : nullptr;
}

}  // namespace systolic::internal::platforms
