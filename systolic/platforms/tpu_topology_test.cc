#include "systolic/platforms/tpu_topology.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"

namespace systolic::internal::platforms {
namespace {

TEST(TpuTopology, V3Dash8IsFourChips) {
  const TpuSlice slice = parse_tpu("v3-8");
  EXPECT_EQ(slice.chips, 4);
  EXPECT_EQ(slice.cores, 8);
  EXPECT_EQ(slice.devices, 8);
  EXPECT_EQ(slice.memory_per_device(), int64_t{16} << 30);
  EXPECT_EQ(slice.name(), "v3-8");
}

TEST(TpuTopology, NumberCountsCoresOrChips) {
  EXPECT_EQ(parse_tpu("v2-8").devices, 8);
  EXPECT_EQ(parse_tpu("v4-8").devices, 4);  // two cores act as one
  EXPECT_EQ(parse_tpu("v5p-8").chips, 4);
  EXPECT_EQ(parse_tpu("v5e-8").chips, 8);
  EXPECT_EQ(parse_tpu("v5litepod-8").name(), "v5e-8");
  EXPECT_EQ(parse_tpu("v6e-256").devices, 256);
  EXPECT_EQ(parse_tpu("tpu7x-8").devices, 8);
}

TEST(TpuTopology, EveryGenerationParsesItsOwnName) {
  for (const TpuGeneration& generation : tpu_generations()) {
    const std::string name = std::string(generation.name) + "-8";
    EXPECT_EQ(parse_tpu(name).generation, &generation);
    EXPECT_EQ(parse_tpu(name).name(), name);
  }
}

TEST(TpuTopology, VirtualIsAPrefix) {
  ASSERT_TRUE(parse_virtual_tpu("virtual:v3-8"));
  EXPECT_EQ(parse_virtual_tpu("virtual:v3-8")->devices, 8);
  EXPECT_FALSE(parse_virtual_tpu("local"));
  EXPECT_FALSE(parse_virtual_tpu("v3-8"));
}

std::string message_of(const std::string& name) {
  try {
    parse_virtual_tpu(name);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(TpuTopology, BadNamesSayWhatNamesLookLike) {
  EXPECT_EQ(message_of("virtual:v9-8"),
            "TPU name: expected <generation>-<number>, for example v3-8, got "
            "'v9-8'\n"
            "  problem: no generation of this name is known\n"
            "  generations: 'v2', 'v3', 'v4', 'v5e', 'v5p', 'v6e' or 'tpu7x'");
  EXPECT_NE(message_of("virtual:v3").find("there is no number behind a '-'"),
            std::string::npos);
  EXPECT_NE(
      message_of("virtual:v3-x").find("'x' is no whole number of at least 1"),
      std::string::npos);
  EXPECT_NE(message_of("virtual:v3-7").find("a chip has 2 cores"),
            std::string::npos);
  EXPECT_NE(
      message_of("virtual:v3-0").find("'0' is no whole number of at least 1"),
      std::string::npos);
  EXPECT_NE(message_of("virtual:v3-99998").find("no pod is that large"),
            std::string::npos);
}

std::string libtpu_name(const std::string& name) {
  const TpuTopologyName topology = tpu_topology_name(parse_tpu_topology(name));
  return topology.name +
         (topology.chip_config.empty() ? "" : " " + topology.chip_config);
}

TEST(TpuTopology, IsNamedAsLibtpuNamesIt) {
  EXPECT_EQ(libtpu_name("v2-8"), "v2:2x2");
  EXPECT_EQ(libtpu_name("v3-8"), "v3:2x2");
  EXPECT_EQ(libtpu_name("virtual:v3-32"), "v3:4x4");
  EXPECT_EQ(libtpu_name("v3-64"), "v3:4x8");
  EXPECT_EQ(libtpu_name("v3-2048"), "v3:32x32");
  EXPECT_EQ(libtpu_name("v4-8"), "v4:2x2x1 megacore");
  EXPECT_EQ(libtpu_name("v4-16"), "v4:2x2x2 megacore");
  EXPECT_EQ(libtpu_name("v4-64"), "v4:2x4x4 megacore");
  EXPECT_EQ(libtpu_name("v5e-1"), "v5e:1x1");
  EXPECT_EQ(libtpu_name("v5litepod-8"), "v5e:2x4");
  EXPECT_EQ(libtpu_name("v5p-8"), "v5p:2x2x1");
  EXPECT_EQ(libtpu_name("v5p-128"), "v5p:4x4x4");
  EXPECT_EQ(libtpu_name("v5p-256"), "v5p:4x4x8");
  EXPECT_EQ(libtpu_name("v5p-12288"), "v5p:16x16x24");
  EXPECT_EQ(libtpu_name("v6e-256"), "v6e:16x16");
  EXPECT_EQ(libtpu_name("tpu7x-8"), "tpu7x:2x2x1");
  EXPECT_EQ(libtpu_name("tpu7x-18432"), "tpu7x:16x24x24");
}

TEST(TpuTopology, EverySliceIsAGridOfItsChips) {
  for (const TpuGeneration& generation : tpu_generations()) {
    for (const std::string& name : tpu_slice_names(generation)) {
      const TpuSlice slice = parse_tpu_topology(name);
      const std::vector<int> grid = tpu_grid(slice);
      EXPECT_EQ(static_cast<int>(grid.size()), generation.torus_axes) << name;
      int chips = 1;
      for (const int axis : grid) chips *= axis;
      EXPECT_EQ(chips, slice.chips) << name;
    }
  }
}

TEST(TpuTopology, UnknownOnesListTheKnown) {
  const auto message = [](const std::string& name) -> std::string {
    try {
      parse_tpu_topology(name);
    } catch (const ValueError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(message("v2-16"),
            "TPU topology: expected one of v2-8, v2-32, v2-128, v2-256, "
            "v2-512, got 'v2-16'");
  EXPECT_NE(message("v3").find("expected one of v3-8, v3-32"),
            std::string::npos);
  EXPECT_NE(message("v9-8").find("\n  v5p: v5p-8, v5p-16, "),
            std::string::npos);
  EXPECT_NE(message("").find("got ''"), std::string::npos);
}

}  // namespace
}  // namespace systolic::internal::platforms
