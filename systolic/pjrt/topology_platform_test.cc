#include "systolic/base/error.h"
#include "systolic/pjrt/topology.h"
#include "systolic/platforms/search.h"
#include "systolic/testing/pjrt_fixture.h"

namespace systolic::internal::pjrt {
namespace {

using TopologyPlatformTest = PlatformTest;

TEST_F(TopologyPlatformTest, PlatformWithoutTopologiesSaysSo) {
  try {
    Topology::create(plugin(), "v3:2x2x1");
    FAIL() << "nothing was thrown";
  } catch (const PlatformError& error) {
    EXPECT_EQ(error.call(), "PJRT_TopologyDescription_Create");
  }
}

// Needs libtpu, but no TPU.
TEST_F(TopologyPlatformTest, CompilesForATpuThatIsNotHere) {
  if (!platforms::search(platforms::find_row("tpu")).found) {
    GTEST_SKIP() << "libtpu is not installed: scripts/install-platform tpu";
  }
  const Plugin& tpu = platforms::Platform::load("tpu").plugin();
  const Topology v3 = Topology::create(tpu, "v3:2x2x1");
  EXPECT_EQ(v3.devices().size(), 8u);
  EXPECT_EQ(v3.devices()[0].kind(), "TPU v3");
  EXPECT_FALSE(v3.platform_name().empty());
  const Executable program = v3.compile(doubling(), encode({}));
  EXPECT_EQ(program.num_outputs(), 1u);
  ASSERT_TRUE(program.memory());
  EXPECT_EQ(program.cost().flops, 4);
  ASSERT_TRUE(program.optimized());
  EXPECT_EQ(program.optimized()->format, "hlo_with_config");
}

}  // namespace
}  // namespace systolic::internal::pjrt
