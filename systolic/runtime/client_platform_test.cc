#include <thread>

#include "systolic/base/error.h"
#include "systolic/runtime/client.h"
#include "systolic/runtime/client_impl.h"
#include "systolic/testing/runtime_fixture.h"

namespace systolic::internal::runtime {
namespace {

using ClientPlatformTest = RuntimeTest;

TEST_F(ClientPlatformTest, EqualRequestsGiveTheSameClient) {
  Client* other = nullptr;
  std::thread thread([&] { other = &Client::open({.device_count = 8}); });
  thread.join();
  EXPECT_EQ(other, &client());
  EXPECT_EQ(&open({.device_count = 8}), &client());
}

TEST_F(ClientPlatformTest, PathThatIsFoundAnywayIsTheSameRequest) {
  const std::string path = client().impl().platform.found().path;
  EXPECT_EQ(&open({.device_count = 8, .path = path}), &client());
}

TEST_F(ClientPlatformTest, OtherCountsAreOtherClients) {
  Client& one = open({});
  EXPECT_NE(&one, &client());
  EXPECT_EQ(one.device_count(), 1);
  EXPECT_EQ(client().device_count(), 8);
}

TEST_F(ClientPlatformTest, DevicesAreValues) {
  const Device third = device(3);
  EXPECT_EQ(third, client().devices()[3]);
  EXPECT_NE(third, device(4));
  EXPECT_EQ(third.name(), "cpu:3");
  EXPECT_EQ(third.kind(), "cpu");
}

TEST_F(ClientPlatformTest, DeviceThatIsNotThereIsRefused) {
  try {
    device(8);
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_STREQ(
        error.what(),
        "platform \"cpu\": expected a device index from 0 to 7, got 8");
  }
  EXPECT_THROW(device(-1), ValueError);
}

TEST_F(ClientPlatformTest, NoDevicesAreRefused) {
  try {
    open({.device_count = 0});
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_STREQ(
        error.what(),
        "platform \"cpu\": expected a device count of at least 1, got 0");
  }
}

TEST_F(ClientPlatformTest, UnknownPlatformListsTheNames) {
  try {
    open({.platform = "gpu"});
    FAIL() << "nothing was thrown";
  } catch (const NotFoundError& error) {
    EXPECT_STREQ(error.what(),
                 "platform: expected 'cpu', 'tpu' or 'cuda', got 'gpu'");
  }
}

TEST_F(ClientPlatformTest, CapabilitiesComeFromTheRow) {
  EXPECT_TRUE(client().has(Capability::host_memory));
  EXPECT_FALSE(client().has(Capability::half_precision));
  EXPECT_FALSE(client().has_kernel("no_such_kernel"));
}

// A setting that a plugin does not know must not make programs fail.
TEST_F(ClientPlatformTest, SettingThatIsRefusedIsLeftOut) {
  Client::Impl impl(client().impl().platform, 1);
  using Settings = Client::Impl::Settings;
  const auto settings = impl.compiler_settings(false, Settings::known);
  const auto for_one_run = impl.compiler_settings(true, Settings::known);
  ASSERT_FALSE(settings.empty());
  ASSERT_GT(for_one_run.size(), settings.size());
  const std::string name = settings.front().first;
  EXPECT_FALSE(impl.drop_refused_setting("some other error"));
  EXPECT_TRUE(impl.drop_refused_setting("No such option: '" + name + "'"));
  EXPECT_EQ(impl.compiler_settings(false, Settings::known).size(),
            settings.size() - 1);
  EXPECT_FALSE(impl.drop_refused_setting(name));
  EXPECT_TRUE(impl.drop_refused_setting(for_one_run.back().first));
  EXPECT_EQ(impl.compiler_settings(true, Settings::known).size(),
            for_one_run.size() - 2);
  // A key is of all of them: it does not change with what is known later.
  EXPECT_EQ(impl.compiler_settings(true, Settings::all), for_one_run);
}

}  // namespace
}  // namespace systolic::internal::runtime
