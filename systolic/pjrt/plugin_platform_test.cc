#include "systolic/pjrt/plugin.h"
#include "systolic/testing/pjrt_fixture.h"

namespace systolic::internal::pjrt {
namespace {

using PluginPlatformTest = PlatformTest;

TEST_F(PluginPlatformTest, SaysItsVersions) {
  EXPECT_EQ(plugin().api_version().substr(0, 2), "0.");
  const NamedValues attributes = plugin().attributes();
  const Value* version = find(attributes, "stablehlo_current_version");
  ASSERT_NE(version, nullptr);
  EXPECT_EQ(std::get<std::vector<int64_t>>(*version).size(), 3u);
}

TEST_F(PluginPlatformTest, TakesCustomCalls) {
  EXPECT_TRUE(plugin().has_ffi());
}

}  // namespace
}  // namespace systolic::internal::pjrt
