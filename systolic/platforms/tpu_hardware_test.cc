#include "systolic/platforms/tpu_hardware.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

namespace systolic::internal::platforms {
namespace {

std::vector<TpuFigure> figures(const TpuGeneration& generation) {
  return {generation.memory_per_chip,    generation.memory_gb_per_second,
          generation.vmem_per_core,      generation.tflops_per_chip,
          generation.clock_mhz,          generation.flops_per_cycle,
          generation.link_gb_per_second, generation.links_gb_per_second,
          generation.host_gb_per_second, generation.all_reduce_gb_per_second};
}

TEST(TpuHardware, EachFigureHasASourceAndEachSourceWords) {
  for (const TpuGeneration& generation : tpu_generations()) {
    for (const TpuFigure& figure : figures(generation)) {
      EXPECT_EQ(figure.is_known(), figure > 0) << generation.name;
      EXPECT_FALSE(describe(figure.source).empty());
    }
    // What every plan needs.
    EXPECT_TRUE(generation.memory_per_chip.is_known()) << generation.name;
    EXPECT_TRUE(generation.memory_gb_per_second.is_known()) << generation.name;
    EXPECT_TRUE(generation.clock_mhz.is_known()) << generation.name;
  }
}

// Peak, clock and flops a cycle come from different places and have to agree.
TEST(TpuHardware, PeakIsClockTimesFlopsACycle) {
  for (const TpuGeneration& generation : tpu_generations()) {
    const double peak = generation.clock_mhz * 1e6 *
                        generation.flops_per_cycle * generation.cores_per_chip /
                        1e12;
    EXPECT_NEAR(peak / generation.tflops_per_chip, 1, 0.02) << generation.name;
    const double pass = 2.0 * generation.matrix_units_per_core *
                        generation.matrix_unit_size *
                        generation.matrix_unit_size;
    const double passes = generation.flops_per_cycle / pass;
    EXPECT_EQ(passes, generation.matrix_unit_size == 256 ? 2 : 1)
        << generation.name;
  }
}

TEST(TpuHardware, KnowsWhatV3Is) {
  const TpuGeneration& v3 = *find_tpu_generation("v3");
  EXPECT_EQ(v3.cores_per_chip, 2);
  EXPECT_EQ(v3.memory_per_chip, 32.0 * (1 << 30));
  EXPECT_EQ(v3.tflops_per_chip, 123);
  EXPECT_EQ(v3.memory_gb_per_second, 900);
  EXPECT_EQ(v3.clock_mhz, 940);
  EXPECT_EQ(v3.most_chips(), 1024);
  EXPECT_FALSE(v3.host_gb_per_second.is_known());
}

TEST(TpuHardware, NamesAndKindsAreUniqueAndSlicesRise) {
  std::set<std::string_view> names;
  std::set<std::string_view> kinds;
  for (const TpuGeneration& generation : tpu_generations()) {
    EXPECT_TRUE(names.insert(generation.name).second);
    EXPECT_TRUE(kinds.insert(generation.kind).second);
    EXPECT_EQ(find_tpu_generation(generation.name), &generation);
    EXPECT_TRUE(std::ranges::is_sorted(generation.slices));
    EXPECT_GE(generation.slices.front(), 1);
  }
  EXPECT_EQ(find_tpu_generation("v5litepod"), find_tpu_generation("v5e"));
  EXPECT_EQ(find_tpu_generation("v9"), nullptr);
}

}  // namespace
}  // namespace systolic::internal::platforms
