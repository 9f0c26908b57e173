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

}  // namespace
}  // namespace systolic::internal::platforms
