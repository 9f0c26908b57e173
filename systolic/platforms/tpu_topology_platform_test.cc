// What libtpu makes of our names. Needs libtpu, but no TPU.
#include <gtest/gtest.h>

#include <csignal>

#include "systolic/base/error.h"
#include "systolic/pjrt/compile_options.h"
#include "systolic/platforms/platform.h"
#include "systolic/platforms/report.h"
#include "systolic/platforms/tpu_topology.h"

namespace systolic::internal::platforms {
namespace {

class TpuTopologyPlatformTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!search(find_row("tpu")).found) {
      GTEST_SKIP() << "libtpu is not installed: scripts/install-platform tpu";
    }
  }
  static const Platform& tpu() { return Platform::load("tpu"); }
};

// Those of many thousand chips take libtpu a while.
TEST_F(TpuTopologyPlatformTest, SlicesAreWhatTheirNamesSay) {
  constexpr int kMostChips = 256;
  for (const TpuGeneration& generation : tpu_generations()) {
    for (const std::string& name : tpu_slice_names(generation)) {
      const TpuSlice slice = parse_tpu_topology(name);
      if (slice.chips > kMostChips) continue;
      const pjrt::Topology topology = tpu().create_topology(name);
      EXPECT_EQ(static_cast<int>(topology.devices().size()), slice.devices)
          << name;
      EXPECT_EQ(topology.devices()[0].kind(), generation.kind) << name;
    }
  }
}

// A program in which all replicas take part, for one slice of each generation.
TEST_F(TpuTopologyPlatformTest, EveryGenerationCompiles) {
  for (const TpuGeneration& generation : tpu_generations()) {
    const std::string name = std::string(generation.name) + "-8";
    const int replicas = parse_tpu_topology(name).devices;
    std::string group = "0";
    for (int i = 1; i < replicas; ++i) group += ", " + std::to_string(i);
    const std::string text =
        "module @m attributes {mhlo.num_replicas = " +
        std::to_string(replicas) +
        " : i32} { func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> "
        "{ %0 = \"stablehlo.all_reduce\"(%x) ({ ^bb0(%a: tensor<f32>, %b: "
        "tensor<f32>): %s = stablehlo.add %a, %b : tensor<f32> "
        "stablehlo.return %s : tensor<f32> }) {replica_groups = dense<[[" +
        group + "]]> : tensor<1x" + std::to_string(replicas) +
        "xi64>} : (tensor<4xf32>) -> tensor<4xf32> return %0 : tensor<4xf32> "
        "} }";
    const pjrt::Executable program = tpu().create_topology(name).compile(
        text, pjrt::encode({.num_replicas = replicas}));
    EXPECT_EQ(program.num_outputs(), 1u) << name;
  }
}

TEST_F(TpuTopologyPlatformTest, UnknownSliceListsTheKnown) {
  try {
    tpu().create_topology("v3-12");
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("one of v3-8, v3-32"),
              std::string::npos);
  }
}

// libtpu has handlers of its own for those that end a program.
TEST_F(TpuTopologyPlatformTest, SignalsStayTheProgramsOwn) {
  tpu();
  struct sigaction term {};
  sigaction(SIGTERM, nullptr, &term);
  EXPECT_EQ(term.sa_handler, SIG_DFL);
}

TEST_F(TpuTopologyPlatformTest, ReportSaysThatThereAreNoDevices) {
  if (find_row("tpu").has_hardware()) GTEST_SKIP() << "there is a TPU";
  const PlatformReport report = make_report(find_row("tpu"));
  EXPECT_EQ(report.problem, "");
  EXPECT_NE(to_text(report).find("devices   none on this machine; programs"),
            std::string::npos)
      << to_text(report);
}

}  // namespace
}  // namespace systolic::internal::platforms
