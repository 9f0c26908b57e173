// The end of a process: launches that are left are waited for, and a failure
// that nobody has been told of is said. Each test's process ends in it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "systolic/runtime/untold.h"
#include "systolic/testing/environment_guard.h"
#include "tests/fake_plugin/fixture.h"

namespace systolic::internal::pjrt::fake {
namespace {

using runtime::BufferPtr;
using ::testing::ExitedWithCode;

class ExitTest : public FakePluginTest {
 protected:
  // Processes of their own: others' tests give up waiting for devices.
  ExitTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static BufferPtr launch_one() {
    const auto step = runtime::compile(cpu(), program());
    const auto x = runtime::to_device(two(), cpu().device(0));
    return runtime::launch(*step, std::vector<std::vector<BufferPtr>>{{x}},
                           {&spec(), 1}, {.name = "train_step"})
        .front()
        .front();
  }

  // Ends the process of a test, with the log on stderr.
  [[noreturn]] static void end() {
    set_log_sink({});
    std::exit(0);
  }
};

TEST_F(ExitTest, FailureThatNobodyLookedAtIsSaid) {
  EXPECT_EXIT(
      {
        control().wishes.code = 10;
        control().wishes.complete = {Firing::failing};
        launch_one();
        end();
      },
      ExitedWithCode(0),
      "exit: a launch of train_step failed, and nobody looked at its values: "
      "ABORTED: the event has failed");
}

TEST_F(ExitTest, FailureThatWasThrownIsNotSaidAgain) {
  EXPECT_EXIT(
      {
        control().wishes.code = 10;
        control().wishes.complete = {Firing::failing};
        control().wishes.ready = {Firing::failing};
        const BufferPtr value = launch_one();
        try {
          runtime::to_host(*value);
          std::exit(1);
        } catch (const PlatformError&) {
        }
        end();
      },
      ExitedWithCode(0), "^$");
}

TEST_F(ExitTest, NothingIsSaidOfLaunchesThatEndedWell) {
  EXPECT_EXIT(
      {
        launch_one();
        end();
      },
      ExitedWithCode(0), "^$");
}

TEST_F(ExitTest, LaunchThatIsLeftIsWaitedFor) {
  EXPECT_EXIT(
      {
        control().wishes.complete = {Firing::never};
        launch_one();
        std::thread([] {
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
          std::fputs("it ends\n", stderr);
          control().reset();  // fires the events that have not
        }).detach();
        end();
      },
      ExitedWithCode(0), "^it ends\n$");
}

TEST_F(ExitTest, WaitingHasAnEnd) {
  const systolic::testing::EnvironmentGuard limit("SYSTOLIC_DEADLINE", "0.1");
  EXPECT_EXIT(
      {
        control().wishes.complete = {Firing::never};
        launch_one();
        end();
      },
      ExitedWithCode(0), "exit: a program on the platform .* has not ended");
}

TEST_F(ExitTest, EachFailureIsSaidOnce) {
  const auto failure = [](const char* text) {
    return std::make_exception_ptr(PlatformError(
        std::string("PJRT_Event_OnReady: ") + text, "PJRT_Event_OnReady", 10));
  };
  runtime::note_failure(failure("ABORTED: a"), "");
  runtime::note_failure(failure("ABORTED: a"), "");
  runtime::note_failure(failure("ABORTED: b"), "step");
  runtime::note_failure(failure("ABORTED: c"), "");
  runtime::note_told(
      PlatformError("PJRT_Event_Await: ABORTED: c", "PJRT_Event_Await", 10));
  runtime::log_untold();
  runtime::log_untold();
  EXPECT_EQ(logged_,
            "exit: a launch failed, and nobody looked at its values: ABORTED: "
            "a\n"
            "exit: a launch of step failed, and nobody looked at its values: "
            "ABORTED: b\n");
}

}  // namespace
}  // namespace systolic::internal::pjrt::fake
