#include <sstream>

#include "systolic/graph/device.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

using Floats = std::vector<float>;

const std::string kHost = "/job:localhost/replica:0/task:0/device:CPU:0";
const std::string kCore = "/job:localhost/replica:0/task:0/device:TPU:";

std::string printed(const auto& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// Four devices called TPU:0 to TPU:3, as after initialize_tpu_system. A client
// of their own: names are for the whole process.
class DevicePlatformTest : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    name_devices(cores(), "localhost", "TPU");
  }
  static runtime::Client& cores() {
    return runtime::Client::open({.device_count = 4});
  }
};

TEST_F(DevicePlatformTest, NamesOfDevices) {
  EXPECT_EQ(device_name(cores().device(3)), kCore + "3");
  EXPECT_EQ(device_name(one()->devices()[0]), kHost);
  runtime::Client& own = runtime::Client::open({.device_count = 3});
  EXPECT_EQ(device_name(own.device(2)),
            "/job:localhost/replica:0/task:0/device:CPU:2");
  name_devices(own, "worker", "GPU");
  EXPECT_EQ(device_name(own.device(2)),
            "/job:worker/replica:0/task:0/device:GPU:2");
  EXPECT_EQ(printed(list_logical_devices("GPU")),
            "[LogicalDevice(name='/job:worker/replica:0/task:0/device:GPU:0', "
            "device_type='GPU'), "
            "LogicalDevice(name='/job:worker/replica:0/task:0/device:GPU:1', "
            "device_type='GPU'), "
            "LogicalDevice(name='/job:worker/replica:0/task:0/device:GPU:2', "
            "device_type='GPU')]");
}

TEST_F(DevicePlatformTest, DevicesThatWereNamedAreListed) {
  const auto all = list_logical_devices();
  ASSERT_GE(all.size(), 5u);
  EXPECT_EQ(all[0], (LogicalDevice{kHost, "CPU"}));
  const auto tpus = list_logical_devices("TPU");
  ASSERT_EQ(tpus.size(), 4u);
  EXPECT_EQ(tpus[3], (LogicalDevice{kCore + "3", "TPU"}));
  EXPECT_TRUE(list_logical_devices("NPU").empty());
}

TEST_F(DevicePlatformTest, ShortAndFullNamesAreOneDevice) {
  const Device full(kCore + "3");
  EXPECT_EQ(full.name(), kCore + "3");
  EXPECT_EQ(full.device_type(), "TPU");
  EXPECT_EQ(full.runtime_device(), cores().device(3));
  for (const char* name : {"TPU:3", "/TPU:3", "/device:TPU:3", "tpu:3",
                           "/device:tpu:3", "/job:localhost/device:TPU:3",
                           "/task:0/TPU:3", "/replica:0/task:0/device:TPU:3"}) {
    EXPECT_EQ(Device(name), full) << name;
  }
  EXPECT_EQ(Device("TPU"), Device("TPU:0"));
  EXPECT_NE(Device("TPU"), full);
  EXPECT_EQ(Device("/CPU:0").runtime_device(), one()->devices()[0]);
  EXPECT_EQ(Device(list_logical_devices("TPU")[3]), full);
  EXPECT_EQ(printed(full), kCore + "3");
}

TEST_F(DevicePlatformTest, UnknownNamesListTheDevicesThereAre) {
  const std::string text =
      message_of<ValueError>([] { auto scope = device("/TPU:4"); });
  EXPECT_TRUE(
      text.starts_with("device: expected the name of a device, got "
                       "\"/TPU:4\"\n  device: " +
                       kHost + "\n"))
      << text;
  for (int i = 0; i < 4; ++i) {
    const std::string line = "\n  device: " + kCore + std::to_string(i) + "\n";
    EXPECT_NE(text.find(line), text.npos) << text;
  }
  EXPECT_NE(text.find("\n  at: device_platform_test.cc:"), text.npos) << text;
  for (const char* name :
       {"", "/", "TPU:", "TPU:x", "/job:worker/TPU:0", "TPU:0/TPU:1", "NPU:0",
        "/job:localhost", "/task:1/TPU:0", "TPU:00", "TPU:-1", "job:/TPU:0"}) {
    EXPECT_THROW(Device{name}, ValueError) << name;
  }
}

TEST_F(DevicePlatformTest, EagerOperationsRunWhereTheScopeSays) {
  const Tensor a = vector({1, 2});
  EXPECT_EQ(a.device(), kHost);
  Tensor b;
  Tensor made_there;
  {
    const auto on_core = device("/TPU:2");
    b = a * 2.f;
    made_there = vector({3, 4});
    EXPECT_EQ(b.device(), kCore + "2");
    {
      const auto on_host = device("/CPU:0");
      EXPECT_EQ((b + 1.f).device(), kHost);
      EXPECT_EQ(floats(b + 1.f), (Floats{3, 5}));
    }
    EXPECT_EQ((b + 1.f).device(), kCore + "2");
  }
  EXPECT_EQ((b + 1.f).device(), kHost);
  EXPECT_EQ(made_there.device(), kCore + "2");
  EXPECT_EQ(floats(made_there), (Floats{3, 4}));
  EXPECT_EQ(made_there.device(), kCore + "2");
}

TEST_F(DevicePlatformTest, CopiesBetweenDevicesAreMadeAndCounted) {
  auto& counters = runtime::counters();
  Tensor x;
  {
    const auto scope = device("TPU:1");
    x = vector({1, 2, 3}) * 1.f;
    x.numpy();
  }
  const uint64_t within = counters.device_to_device_copies;
  const uint64_t between = counters.client_to_client_copies;
  {
    const auto scope = device("TPU:3");
    EXPECT_EQ(floats(x * 2.f), (Floats{2, 4, 6}));
  }
  EXPECT_EQ(counters.device_to_device_copies, within + 1);
  const auto scope = device("CPU:0");
  EXPECT_EQ(floats(x * 3.f), (Floats{3, 6, 9}));
  EXPECT_EQ(counters.client_to_client_copies, between + 1);
}

TEST_F(DevicePlatformTest, VariablesStayOnTheirDevice) {
  Variable v;
  {
    const auto scope = device("TPU:1");
    v = Variable(vector({1, 2}), {.name = "v"});
  }
  EXPECT_EQ(v.device(), kCore + "1");
  EXPECT_EQ(v.value().device(), kCore + "1");
  v.assign_add(1.f);
  EXPECT_EQ(v.value().device(), kCore + "1");
  EXPECT_EQ(v.numpy().to_string(), "[2. 3.]");
  v.assign(vector({4, 5}) * 2.f);  // computed on the host
  EXPECT_EQ(v.value().device(), kCore + "1");
  EXPECT_EQ(v.numpy().to_string(), "[ 8. 10.]");
  EXPECT_EQ((v * 2.f).device(), kHost);
  EXPECT_EQ(floats(v * 2.f), (Floats{16, 20}));
  const Tensor elsewhere = vector({1, 1}) * 3.f;
  const auto scope = device("TPU:2");
  const Variable w(elsewhere);
  EXPECT_EQ(w.value().device(), kCore + "2");
  EXPECT_EQ(floats(w), (Floats{3, 3}));
}

TEST_F(DevicePlatformTest, ScopeInsideAStepThatRunsElsewhereIsRefused) {
  Step step(eight(), "strategy.run");
  const std::string text =
      message_of<ValueError>([] { auto scope = device("/TPU:1"); });
  EXPECT_TRUE(text.starts_with(
      "device: the devices of strategy.run were chosen when it began, and \"" +
      kCore +
      "1\" is not what it runs on\n  hint: open the scope around it, or "
      "compute the value before it\n  at: device_platform_test.cc:"))
      << text;
}

}  // namespace
}  // namespace systolic::internal::graph
