#include "systolic/pjrt/handle.h"

#include <gtest/gtest.h>

#include "systolic/base/log.h"
#include "systolic/pjrt/event.h"
#include "systolic/testing/fake_pjrt.h"

namespace systolic::internal::pjrt {
namespace {

TEST(Handle, IsCountedAndDestroyedOnce) {
  FakeApi fake;
  const LiveHandles before = live_handles();
  {
    const Event event(fake.api(), fake.make<abi::Event>());
    EXPECT_EQ(live_handles().events, before.events + 1);
  }
  EXPECT_EQ(live_handles(), before);
  EXPECT_EQ(fake.destroyed_events, 1);
}

TEST(Handle, MovingEmptiesTheSource) {
  FakeApi fake;
  Event first(fake.api(), fake.make<abi::Event>());
  Event second(std::move(first));
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(second);
  Event third;
  third = std::move(second);
  EXPECT_FALSE(second);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(fake.destroyed_events, 0);
  third.reset();
  third.reset();
  EXPECT_EQ(fake.destroyed_events, 1);
}

TEST(Handle, AssigningDestroysWhatWasThere) {
  FakeApi fake;
  Event kept(fake.api(), fake.make<abi::Event>());
  kept = Event(fake.api(), fake.make<abi::Event>());
  EXPECT_EQ(fake.destroyed_events, 1);
}

TEST(Handle, EmptyOneIsNotDestroyed) {
  FakeApi fake;
  { const Event event(fake.api(), nullptr); }
  EXPECT_EQ(fake.destroyed_events, 0);
}

TEST(Handle, FailingDestroyIsLoggedNotThrown) {
  FakeApi fake;
  fake.set(kEventDestroy, &FakeApi::fail<abi::NounArgs<abi::Event>>);
  std::string logged;
  LogSink before =
      set_log_sink([&](LogLevel, std::string_view text) { logged += text; });
  { const Event event(fake.api(), fake.make<abi::Event>()); }
  set_log_sink(before);
  EXPECT_EQ(logged, "PJRT_Event_Destroy: INVALID_ARGUMENT: the fake says no");
}

}  // namespace
}  // namespace systolic::internal::pjrt
