// Connecting, initialising, and the devices that there are then.
#include <gtest/gtest.h>

#include <sstream>

#include "systolic/base/log.h"
#include "systolic/distribute/tpu_cluster_resolver.h"
#include "systolic/graph/device.h"
#include "systolic/graph/variable.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/testing/error_text.h"

namespace systolic::distribute {
namespace {

std::vector<std::string> log_of_initialising(
    const TPUClusterResolver& resolver) {
  std::vector<std::string> lines;
  const LogSink before =
      set_log_sink([&](LogLevel level, std::string_view text) {
        EXPECT_EQ(level, LogLevel::info);
        lines.emplace_back(text);
      });
  initialize_tpu_system(resolver);
  set_log_sink(before);
  return lines;
}

std::string printed(const auto& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

TEST(ResolverPlatformTest, InitialisingLogsTheGuidesLines) {
  const TPUClusterResolver resolver("virtual:v3-8");
  connect_to_cluster(resolver);
  const std::vector<std::string> lines = log_of_initialising(resolver);
  ASSERT_EQ(lines.size(), 17u);
  const std::vector<std::string> head(lines.begin(), lines.begin() + 7);
  EXPECT_EQ(head, (std::vector<std::string>{
                      "Deallocate tpu buffers before initializing tpu system.",
                      "Initializing the TPU system: virtual:v3-8",
                      "Finished initializing TPU system.", "Found TPU system:",
                      "*** Num TPU Cores: 8", "*** Num TPU Workers: 1",
                      "*** Num TPU Cores Per Worker: 8"}));
  EXPECT_TRUE(lines[7].starts_with("*** Topology: v3-8 on ")) << lines[7];
  EXPECT_EQ(lines[8],
            "*** Available Device: _DeviceAttributes(/job:localhost/replica:0/"
            "task:0/device:CPU:0, CPU, 0, 0)");
  EXPECT_EQ(lines[9],
            "*** Available Device: _DeviceAttributes(/job:localhost/replica:0/"
            "task:0/device:TPU:0, TPU, 0, 0)");
  EXPECT_EQ(lines[16],
            "*** Available Device: _DeviceAttributes(/job:localhost/replica:0/"
            "task:0/device:TPU:7, TPU, 0, 0)");
}

TEST(ResolverPlatformTest, WithoutASystemThereIsOnlyTheHost) {
  if (!list_logical_devices("TPU").empty()) {
    GTEST_SKIP() << "another test of this process has made one ready";
  }
  connect_to_cluster(TPUClusterResolver("virtual:v5e-4"));
  EXPECT_EQ(printed(list_logical_devices()),
            "[LogicalDevice(name='/job:localhost/replica:0/task:0/"
            "device:CPU:0', device_type='CPU')]");
}

TEST(ResolverPlatformTest, DevicesAreListedOnceTheSystemIsReady) {
  TPUClusterResolver::connect("virtual:v5e-4");
  const std::vector<LogicalDevice> tpus = list_logical_devices("TPU");
  ASSERT_EQ(tpus.size(), 4u);
  EXPECT_EQ(list_logical_devices().size(), 5u);
  EXPECT_EQ(list_logical_devices("GPU").size(), 0u);
  EXPECT_EQ(printed(std::vector<LogicalDevice>{tpus[0], tpus[3]}),
            "[LogicalDevice(name='/job:localhost/replica:0/task:0/"
            "device:TPU:0', device_type='TPU'), "
            "LogicalDevice(name='/job:localhost/replica:0/task:0/"
            "device:TPU:3', device_type='TPU')]");
  EXPECT_EQ(printed(list_logical_devices("GPU")), "[]");
}

TEST(ResolverPlatformTest, MetadataSayWhatTheSystemIsMadeOf) {
  const TPUSystemMetadata metadata =
      TPUClusterResolver("virtual:v2-8").get_tpu_system_metadata();
  EXPECT_EQ(metadata.num_cores, 8);
  EXPECT_EQ(metadata.num_hosts, 1);
  EXPECT_EQ(metadata.num_of_cores_per_host, 8);
  EXPECT_EQ(metadata.topology, "v2-8");
}

TEST(ResolverPlatformTest, EagerOperationsRunOnTheFirstCoreFromThenOn) {
  const TPUClusterResolver resolver =
      TPUClusterResolver::connect("virtual:v3-8");
  const auto* here = internal::graph::Placement::current_default();
  EXPECT_EQ(internal::graph::device_name(here->devices()[0]),
            "/job:localhost/replica:0/task:0/device:TPU:0");
  EXPECT_EQ(add(constant({1.f, 2.f}), 1.f).numpy().to_string(), "[2. 3.]");
}

TEST(ResolverPlatformTest, ConstantsAreOnTheFirstCoreOnceTheSystemIsReady) {
  TPUClusterResolver::connect("virtual:v3-8");
  EXPECT_EQ(constant({1.f, 2.f}).device(),
            "/job:localhost/replica:0/task:0/device:TPU:0");
  const auto on_cpu = device("/CPU:0");
  EXPECT_EQ(constant({1.f, 2.f}).device(),
            "/job:localhost/replica:0/task:0/device:CPU:0");
}

TEST(ResolverPlatformTest, InitialisingAgainFreesTheVariables) {
  const TPUClusterResolver resolver =
      TPUClusterResolver::connect("virtual:v3-8");
  Variable lost(constant({1.f, 2.f}), {.name = "lost"});
  Variable kept;
  {
    const auto on_cpu = device("/CPU:0");
    kept = Variable(constant({3.f, 4.f}), {.name = "kept"});
  }
  EXPECT_EQ(log_of_initialising(resolver).size(), 17u);
  EXPECT_EQ(list_logical_devices("TPU").size(), 8u);
  const std::string text =
      "Variable \"lost\": its memory was freed when the TPU system was "
      "initialised again after it was made\n"
      "  variable: float32[2]\n"
      "  hint: make the model and its optimizer after initialize_tpu_system; "
      "what must last is saved before it and loaded after it\n"
      "  at: tpu_cluster_resolver_platform_test.cc:";
  using internal::text_of;
  EXPECT_TRUE(text_of<ValueError>([&] { lost + 1; }).starts_with(text));
  EXPECT_TRUE(text_of<ValueError>([&] { lost.numpy(); }).starts_with(text));
  EXPECT_TRUE(text_of<ValueError>([&] { lost.assign(1); }).starts_with(text));
  EXPECT_TRUE(
      text_of<ValueError>([&] { lost.replica_values(); }).starts_with(text));
  EXPECT_EQ(lost.name(), "lost");
  EXPECT_EQ(kept.numpy().to_string(), "[3. 4.]") << "it is on another device";
  const Variable made_anew(constant({1.f, 2.f}));
  EXPECT_EQ(made_anew.numpy().to_string(), "[1. 2.]");
}

}  // namespace
}  // namespace systolic::distribute
