// The hardware facts of the TPU generations, each with where it is published.
//
//   const TpuGeneration& v3 = *find_tpu_generation("v3");
//   double seconds = cycles / (v3.clock_mhz * 1e6);
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace systolic::internal::platforms {

// Where a figure comes from.
enum class TpuSource : uint8_t {
  none,          // no figure is published
  cloud_docs,    // Google Cloud's page of the generation
  jax_tpu_info,  // JAX's table of TPUs
  scaling_book,  // "How to scale your model"
  orbax_guide,   // Orbax's guide to checkpoints
  derived,       // computed here from the figures beside it
  probe,         // what libtpu says or its cycles agree with
};

// The source for people, with its address: "JAX's tpu_info.py, Aug 2026 ...".
std::string_view describe(TpuSource source);

// One number; 0 and `none` where nobody publishes it.
struct TpuFigure {
  double value = 0;
  TpuSource source = TpuSource::none;

  constexpr bool is_known() const { return source != TpuSource::none; }
  // NOLINTNEXTLINE(google-explicit-constructor): it is a number
  constexpr operator double() const { return value; }
};

// One generation. Chips have cores; a device is what a program's replica runs
// on: a core, or the two cores of a chip that act as one.
struct TpuGeneration {
  std::string_view name;      // "v3"
  std::string_view kind;      // what libtpu calls a device: "TPU v3"
  int cores_per_chip;         // TensorCores
  int devices_per_chip;       // fewer where two cores act as one
  bool name_counts_chips;     // the number in "v5e-8" counts chips
  int matrix_units_per_core;  // MXUs
  int matrix_unit_size;       // 128: 128 x 128
  int torus_axes;             // of the links between chips: 2 or 3
  // From this many chips along an axis on the links close a ring; 0: always.
  int wraps_from;
  // The chips of the slices that are offered, rising.
  std::span<const int> slices;
  // What libtpu wants to know besides the grid: its option chip_config_name.
  std::string_view chip_config;

  TpuFigure memory_per_chip;       // bytes of high-bandwidth memory
  TpuFigure memory_gb_per_second;  // 1e9 bytes a second and chip
  TpuFigure vmem_per_core;         // bytes of vector memory
  TpuFigure tflops_per_chip;       // peak, bfloat16, 1e12 a second
  TpuFigure clock_mhz;
  TpuFigure flops_per_cycle;           // of a core, bfloat16
  TpuFigure link_gb_per_second;        // of one link between chips, one way
  TpuFigure links_gb_per_second;       // of all links of a chip, both ways
  TpuFigure all_reduce_gb_per_second;  // of a chip, in a whole pod
  TpuFigure host_gb_per_second;        // from the host to a chip

  // Chips of the largest slice.
  int most_chips() const { return slices.back(); }
};

// The generations, oldest first.
std::span<const TpuGeneration> tpu_generations();

// The generation of a name, also as accelerator types spell it
// ("v5litepod"); null if there is none.
const TpuGeneration* find_tpu_generation(std::string_view name);

}  // namespace systolic::internal::platforms
