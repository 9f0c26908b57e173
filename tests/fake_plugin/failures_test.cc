// Every call of the plugin failing in turn, at its first, second ... time:
// the exception names it and has its code, and nothing is lost.
#include <functional>

#include "tests/fake_plugin/walks.h"

namespace systolic::internal::pjrt::fake {
namespace {

constexpr int kCode = 8;  // RESOURCE_EXHAUSTED

class FailuresTest : public FakePluginTest {
 protected:
  // Lets the call number `nth` of a function fail during a walk. It must come
  // out as an exception, or, where nobody could catch one, as a log line.
  void expect_failure(int index, int nth, const std::function<void()>& walk) {
    const std::string name = control().names[static_cast<size_t>(index)];
    const std::string what = name + ", call " + std::to_string(nth);
    control().reset();
    control().wishes.failing = index;
    control().wishes.calls_before = nth;
    control().wishes.code = kCode;
    logged_.clear();
    try {
      walk();
      EXPECT_TRUE(contains(logged_, name)) << what << " went unnoticed";
    } catch (const PlatformError& error) {
      EXPECT_EQ(error.call(), name) << what << ": " << error.what();
      EXPECT_EQ(error.code(), kCode) << what;
      EXPECT_TRUE(
          contains(error.what(), name + ": RESOURCE_EXHAUSTED: wished for"))
          << error.what();
    }
    control().reset();
    expect_nothing_lost(what);
  }

  // Every call of a walk; returns how many there are.
  int expect_failures(const std::function<void()>& walk) {
    control().reset();
    walk();
    const std::array<int, kFunctions> calls = control().calls;
    int failures = 0;
    for (size_t f = 0; f < kFunctions; ++f) {
      for (int nth = 0; nth < calls[f]; ++nth, ++failures) {
        expect_failure(static_cast<int>(f), nth, walk);
      }
    }
    return failures;
  }
};

TEST_F(FailuresTest, OfTheRoomPjrtNameTheCall) {
  EXPECT_GT(expect_failures([] { walk_pjrt(program()); }), 60);
}

TEST_F(FailuresTest, OfTheRuntimeNameTheCall) {
  EXPECT_GT(expect_failures([] { walk_runtime(cpu(), program()); }), 60);
}

TEST_F(FailuresTest, OfTheRuntimeWithTransfersNameTheCall) {
  EXPECT_GT(expect_failures([] { walk_runtime(cuda(), program()); }), 60);
}

TEST_F(FailuresTest, OfOpeningAClientLeaveNothingBehind) {
  for (const auto& function :
       {kClientPlatformVersion.index, kClientDevices.index,
        kDeviceDescription.index, kDescriptionId.index, kDescriptionKind.index,
        kClientCreate.index}) {
    expect_failure(function, 0, [] {
      runtime::Client::open({.device_count = 3, .path = kPath});
    });
  }
}

// The walks above reach every function that is declared.
TEST_F(FailuresTest, ReachEveryFunctionOfTheTable) {
  control().reset();
  walk_pjrt(program());
  const std::array<int, kFunctions> in_pjrt = control().calls;
  walk_runtime(cpu(), program());
  for (size_t f = 0; f < kFunctions; ++f) {
    const char* name = control().names[f];
    if (name == nullptr || f == static_cast<size_t>(kErrorDestroy.index) ||
        f == static_cast<size_t>(kErrorMessage.index) ||
        f == static_cast<size_t>(kErrorGetCode.index)) {
      continue;  // those three are for errors only
    }
    EXPECT_GT(in_pjrt[f] + control().calls[f], 0) << name;
  }
}

TEST_F(FailuresTest, OfAskingForTheCodeAreAnUnknownCode) {
  control().wishes.failing = kErrorGetCode.index;
  try {
    runtime::compile(cpu(), program(), {.overrides = {{"a", true}}});
    control().wishes.grown = 1000;
    Plugin::load(kPath);
    FAIL() << "nothing was thrown";
  } catch (const PlatformError& error) {
    EXPECT_EQ(error.code(), 2);
    EXPECT_EQ(error.call(), kPluginInitialize.name);
  }
}

TEST_F(FailuresTest, OfOptionalFunctionsWithUnimplementedAreNoFailures) {
  for (const int function :
       {kExecutableCost.index, kExecutableMemory.index,
        kExecutableOptimized.index, kDeviceMemoryStats.index,
        kBufferPointer.index, kBufferLayout.index}) {
    control().reset();
    control().wishes.failing = function;
    control().wishes.code = kUnimplemented;
    EXPECT_NO_THROW(walk_pjrt(program()));
    EXPECT_NO_THROW(walk_runtime(cpu(), program()));
  }
}

// A launch that fails gives the memory back that it would have taken.
TEST_F(FailuresTest, OfALaunchLeaveDonatedArgumentsAlone) {
  const auto step = runtime::compile(
      cpu(), program("{tf.aliasing_output = 0 : i32}"), {.num_replicas = 2});
  const auto x = runtime::to_device(two(), cpu().device(0));
  const auto y = runtime::to_device(two(), cpu().device(1));
  control().wishes.failing = kLoadedExecute.index;
  EXPECT_THROW(launch(step, {{x}, {y}}), PlatformError);
  EXPECT_FALSE(x->is_donated());
  EXPECT_EQ(runtime::to_host(*y).span<float>()[1], 2);
  control().reset();
  EXPECT_NO_THROW(launch(step, {{x}, {y}}));
  EXPECT_TRUE(x->is_donated());
}

// The next launch of several replicas must not wait for one that never was.
TEST_F(FailuresTest, OfALaunchEndItsTurn) {
  const auto step = runtime::compile(cpu(), program(), {.num_replicas = 2});
  const auto x = runtime::to_device(two(), cpu().device(0));
  const auto y = runtime::to_device(two(), cpu().device(1));
  for (const int function : {kLoadedExecute.index, kEventOnReady.index}) {
    control().reset();
    control().wishes.failing = function;
    EXPECT_THROW(launch(step, {{x}, {y}}), PlatformError);
    control().reset();
    EXPECT_NO_THROW(launch(step, {{x}, {y}}));
  }
}

TEST_F(FailuresTest, OfEventsReachWhoReadsTheValue) {
  const auto x = runtime::to_device(two(), cpu().device(0));
  const auto y = runtime::to_device(two(), cuda().device(1));
  control().wishes.code = 10;  // ABORTED
  control().wishes.ready = {Firing::failing};
  control().wishes.transfer = {Firing::failing, 1};
  for (const auto& read : std::vector<std::function<void()>>{
           [&] { runtime::to_host(*x); }, [&] { runtime::to_host(*y); },
           [&] {
             runtime::wait({&x, 1});
           }}) {
    EXPECT_EQ(words_of<PlatformError>(read),
              "PJRT_Event_Await: ABORTED: the event has failed");
  }
}

TEST_F(FailuresTest, OfOneReplicasCompletionDoNotStopTheNextLaunch) {
  const auto step = runtime::compile(cpu(), program(), {.num_replicas = 2});
  const auto x = runtime::to_device(two(), cpu().device(0));
  const auto y = runtime::to_device(two(), cpu().device(1));
  control().wishes.complete = {Firing::failing, 1};
  for (int i = 0; i < 3; ++i) EXPECT_NO_THROW(launch(step, {{x}, {y}}));
}

TEST_F(FailuresTest, OfSendingKeepNothing) {
  control().wishes.upload = {Firing::failing};
  EXPECT_NO_THROW(runtime::to_device(Array::zeros(Shape{40000}, DType::float32),
                                     cuda().device(0)));
}

}  // namespace
}  // namespace systolic::internal::pjrt::fake
