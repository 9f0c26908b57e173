// Events that never fire: the deadline passes, the error names the devices
// that have not answered, and what was waited for may still come.
#include "systolic/runtime/deadline.h"

#include <functional>

#include "systolic/pjrt/error.h"
#include "systolic/testing/environment_guard.h"
#include "tests/fake_plugin/fixture.h"

namespace systolic::internal::pjrt::fake {
namespace {

using runtime::BufferPtr;
using systolic::testing::EnvironmentGuard;

class DeadlineTest : public FakePluginTest {
 protected:
  // That `call` is given up, for the reason given.
  static void expect_late(const std::function<void()>& call,
                          const std::string& words) {
    try {
      call();
      FAIL() << "nothing was thrown";
    } catch (const PlatformError& error) {
      EXPECT_EQ(error.code(), kDeadlineExceeded);
      EXPECT_EQ(error.what(),
                words +
                    "\n  hint: a device that is only slow is waited for "
                    "longer with SYSTOLIC_DEADLINE=<seconds>");
    }
  }

 private:
  EnvironmentGuard limit_{"SYSTOLIC_DEADLINE", "0.1"};
};

TEST_F(DeadlineTest, OfReadingNamesTheDevice) {
  const BufferPtr x = runtime::to_device(two(), cpu().device(1));
  control().wishes.ready = {Firing::never};
  expect_late([&] { runtime::to_host(*x); },
              "to_host: expected the value float32[2] on cpu:1 within 0.1 s, "
              "got no answer\n  devices without answer: cpu:1");
  EXPECT_EQ(logged_,
            "to_host: still waiting for the value float32[2] on cpu:1, at "
            "most 0.1 s in all (SYSTOLIC_DEADLINE)\n");
}

TEST_F(DeadlineTest, OfWaitingNamesOnlyTheDevicesThatAreMissing) {
  const std::vector<BufferPtr> all{runtime::to_device(two(), cpu().device(0)),
                                   runtime::to_device(two(), cpu().device(1))};
  control().wishes.ready = {Firing::never, 1};
  expect_late([&] { runtime::wait(all); },
              "wait: expected the value float32[2] on cpu:1 within 0.1 s, got "
              "no answer\n  devices without answer: cpu:1");
  control().reset();
  control().wishes.ready = {Firing::never};
  expect_late([&] { runtime::wait(all); },
              "wait: expected the value float32[2] on cpu:0 within 0.1 s, got "
              "no answer\n  devices without answer: cpu:0, cpu:1");
}

// The plugin goes on writing to the memory of a read that was given up.
TEST_F(DeadlineTest, OfTransfersKeepsTheMemoryUntilTheyEnd) {
  const std::vector<BufferPtr> all{runtime::to_device(two(), cuda().device(0)),
                                   runtime::to_device(two(), cuda().device(1))};
  control().wishes.transfer = {Firing::never};
  expect_late([&] { runtime::to_host(all); },
              "to_host: expected the value float32[2] on cuda:0 within 0.1 s, "
              "got no answer\n  devices without answer: cuda:0, cuda:1");
  control().reset();  // they end now
  EXPECT_EQ(runtime::to_host(all)[1].span<float>()[0], 1);
}

TEST_F(DeadlineTest, OfTransfersInsteadOfReadingInPlace) {
  const BufferPtr x = runtime::to_device(two(), cpu().device(0));
  control().wishes.has_layout = false;
  control().wishes.transfer = {Firing::never};
  EXPECT_THROW(runtime::to_host(*x), PlatformError);
  control().wishes.transfer = {};
  EXPECT_EQ(runtime::to_host(*x).span<float>()[1], 2);
}

TEST_F(DeadlineTest, OfALaunchNamesTheReplicasThatHaveNotEnded) {
  const auto step = runtime::compile(cpu(), program(), {.num_replicas = 2});
  const BufferPtr x = runtime::to_device(two(), cpu().device(0));
  const BufferPtr y = runtime::to_device(two(), cpu().device(1));
  control().wishes.complete = {Firing::never, 1};
  EXPECT_NO_THROW(launch(step, {{x}, {y}}));
  expect_late(
      [&] {
        launch(step, {{x}, {y}});
      },
      "launch: expected the end of the program before within 0.1 s, "
      "got no answer\n  devices without answer: cpu:1");
  control().reset();  // it ends now
  EXPECT_NO_THROW(launch(step, {{x}, {y}}));
}

TEST_F(DeadlineTest, OfALaunchLeavesDonatedArgumentsAlone) {
  const auto step = runtime::compile(
      cpu(), program("{tf.aliasing_output = 0 : i32}"), {.num_replicas = 2});
  const auto plain = runtime::compile(cpu(), program(), {.num_replicas = 2});
  const BufferPtr x = runtime::to_device(two(), cpu().device(0));
  const BufferPtr y = runtime::to_device(two(), cpu().device(1));
  control().wishes.complete = {Firing::never};
  launch(plain, {{x}, {y}});
  EXPECT_THROW(launch(step, {{x}, {y}}), PlatformError);
  EXPECT_FALSE(x->is_donated());
}

// Sending does not wait; what is sent is kept until the plugin is done.
TEST_F(DeadlineTest, SendingDoesNotWait) {
  Array large = Array::zeros(Shape{40000}, DType::float32);
  control().wishes.upload = {Firing::never};
  const BufferPtr x = runtime::to_device(large, cuda().device(0));
  large = Array();
  control().reset();
  EXPECT_EQ(runtime::to_host(*x).span<float>()[7], 0);
}

TEST_F(DeadlineTest, TextThatIsNoTimeIsRefusedWhenAClientIsOpened) {
  for (const char* text : {"soon", "-1", "0", "1s", "nan"}) {
    const EnvironmentGuard guard("SYSTOLIC_DEADLINE", text);
    EXPECT_EQ(words_of<ValueError>([] { cpu(); }),
              std::string("SYSTOLIC_DEADLINE: expected a number of seconds "
                          "above 0, or \"off\", got \"") +
                  text + "\"");
  }
}

TEST_F(DeadlineTest, IsTwoHoursUnlessSet) {
  EXPECT_EQ(runtime::time_limit().count(), 0.1);
  const EnvironmentGuard unset("SYSTOLIC_DEADLINE");
  EXPECT_EQ(runtime::time_limit().count(), 7200);
  const EnvironmentGuard off("SYSTOLIC_DEADLINE", "off");
  EXPECT_GT(runtime::Deadline().left().count(), 1e7);
}

}  // namespace
}  // namespace systolic::internal::pjrt::fake
