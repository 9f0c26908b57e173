// Strategies over devices that are named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systolic/base/log.h"
#include "systolic/distribute/one_device_strategy.h"
#include "systolic/distribute/test_strategies.h"
#include "systolic/graph/device.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"

namespace systolic::distribute {
namespace {

using internal::text_of;
using ::testing::HasSubstr;

TEST(OneDeviceStrategyPlatformTest, RunsOnTheDevice) {
  eight();
  for (const char* name : {"/CPU:0", "/TPU:3"}) {
    const OneDeviceStrategy strategy(name);
    EXPECT_EQ(strategy.class_name(), "OneDeviceStrategy");
    EXPECT_EQ(strategy.num_replicas_in_sync(), 1);
    const PerReplica z = strategy.run([](Tensor x) { return x * 2; }, 3.f);
    EXPECT_EQ(z[0].item<float>(), 6);
    EXPECT_EQ(z[0].device(), Device(name).name());
  }
  EXPECT_THAT(text_of<ValueError>([] { OneDeviceStrategy("/XPU:0"); }),
              HasSubstr("expected the name of a device, got \"/XPU:0\""));
}

TEST(MirroredStrategyPlatformTest, HasAReplicaOnEachDevice) {
  const MirroredStrategy three({"/device:CPU:0", "CPU:1", "/CPU:2"});
  EXPECT_EQ(three.class_name(), "MirroredStrategy");
  EXPECT_EQ(three.num_replicas_in_sync(), 3);
  const auto scope = three.scope();
  const Variable v(constant(1.0));
  EXPECT_EQ(v.replica_values().size(), 3u);
}

TEST(MirroredStrategyPlatformTest, WithoutGpusTheCpuIsTheOnlyReplica) {
  if (!list_logical_devices("GPU").empty()) GTEST_SKIP() << "there is a GPU";
  std::vector<std::string> warnings;
  const LogSink before = set_log_sink([&](LogLevel level, std::string_view t) {
    if (level == LogLevel::warning) warnings.emplace_back(t);
  });
  const MirroredStrategy strategy;
  set_log_sink(before);
  if (!list_logical_devices("GPU").empty()) return;
  EXPECT_EQ(strategy.num_replicas_in_sync(), 1);
  EXPECT_THAT(warnings, ::testing::ElementsAre(HasSubstr("has no GPU")));
}

TEST(MirroredStrategyPlatformTest, MistakesAreNamed) {
  EXPECT_EQ(
      text_of<ValueError>([] { MirroredStrategy(std::vector<std::string>{}); }),
      "MirroredStrategy: expected at least one device, got none");
  EXPECT_EQ(text_of<ValueError>([] {
              MirroredStrategy({"CPU:0", "CPU:1", "CPU:0"});
            }),
            "MirroredStrategy: expected devices that differ, got \"CPU:0\" "
            "twice");
  eight();
  EXPECT_THROW(MirroredStrategy({"CPU:1", "TPU:0"}), ValueError);
}

}  // namespace
}  // namespace systolic::distribute
