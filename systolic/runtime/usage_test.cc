#include "systolic/runtime/usage.h"

#include <gtest/gtest.h>

namespace systolic::internal::runtime {
namespace {

int64_t now = 1000;

// A recorder whose clock a test sets, and two devices that nobody has.
class UsageTest : public ::testing::Test {
 protected:
  UsageTest() : recorder_([] { return now; }) {}
  void TearDown() override { now = 1000; }

  UsageRecorder& at(int64_t time) {
    now = time;
    return recorder_;
  }
  void begin(int64_t time, const Device& device,
             const LaunchWork& work = {.amount = {.flops = 7},
                                       .bytes_accessed = 3}) {
    at(time).begin(std::span(&device, 1), work);
  }
  void end(int64_t time, const Device& device) { at(time).end(device); }
  DeviceUsage first(int64_t time) { return at(time).read().of(first_); }

  const Device first_{nullptr, 0}, second_{nullptr, 1};

 private:
  UsageRecorder recorder_;
};

TEST_F(UsageTest, DeviceIsBusyFromTheLaunchToItsEnd) {
  begin(1000, first_);
  EXPECT_EQ(first(1004).busy, 4);
  end(1010, first_);
  EXPECT_EQ(first(1100).busy, 10);
}

TEST_F(UsageTest, ProgramsThatOverlapCountOnce) {
  begin(1000, first_);
  begin(1005, first_);
  end(1010, first_);
  end(1020, first_);
  begin(1030, first_);
  end(1031, first_);
  EXPECT_EQ(first(1100).busy, 21);
  EXPECT_EQ(first(1100).launches, 3u);
}

TEST_F(UsageTest, DevicesAreToldApart) {
  begin(1000, first_);
  begin(1002, second_);
  end(1010, first_);
  end(1020, second_);
  const Usage usage = at(1100).read();
  EXPECT_EQ(usage.of(first_).busy, 10);
  EXPECT_EQ(usage.of(second_).busy, 18);
}

TEST_F(UsageTest, WorkIsAddedUp) {
  begin(1000, first_);
  begin(1010, first_, {.amount = {.flops = 1, .exchanged_bytes = 5}});
  const DeviceUsage usage = first(1030);
  EXPECT_EQ(usage.work.flops, 8);
  EXPECT_EQ(usage.work.exchanged_bytes, 5);
  EXPECT_EQ(usage.bytes_accessed, 3);
  EXPECT_EQ(usage.without_bytes, 1u);
}

TEST_F(UsageTest, InputCountsAsIdleOnlyWhereTheDeviceIs) {
  begin(1000, first_);
  at(1005).begin(HostWork::input);
  end(1010, first_);
  at(1030).end(HostWork::input);
  const Usage usage = at(1100).read();
  EXPECT_EQ(usage.host[0], 25);
  EXPECT_EQ(usage.of(first_).idle_in[0], 20);
  EXPECT_EQ(usage.of(first_).idle_in[1], 0);
}

TEST_F(UsageTest, DeviceWasIdleBeforeItWasKnown) {
  at(1000).begin(HostWork::compile);
  at(1050).end(HostWork::compile);
  const Usage before = at(1050).read();
  begin(1060, first_);
  EXPECT_EQ(first(1060).idle_in[1], 50);
  EXPECT_EQ(before.of(first_).idle_in[1], 50);
}

TEST_F(UsageTest, InputOfTwoThreadsCountsOnce) {
  at(1000).begin(HostWork::input);
  at(1010).begin(HostWork::input);
  at(1020).end(HostWork::input);
  at(1030).end(HostWork::input);
  EXPECT_EQ(at(1100).read().host[0], 30);
}

TEST_F(UsageTest, LargestProgramIsOneOfTheWindow) {
  ProgramUsage& large = at(1000).add_program(100);
  ProgramUsage& small = at(1000).add_program(10);
  at(1000).add_program(1000);  // never launched
  large.last_launch = 1010;
  small.last_launch = 1020;
  EXPECT_EQ(at(1030).largest_program(1000), 100);
  EXPECT_EQ(at(1030).largest_program(1015), 10);
  EXPECT_EQ(at(1030).largest_program(1025), 0);
}

TEST(HostWorkScope, WithinAnotherDoesNotCount) {
  UsageRecorder& recorder = UsageRecorder::instance();
  const HostTimes before = recorder.read().host;
  {
    const HostWorkScope outer(HostWork::compile);
    const HostWorkScope inner(HostWork::input);
  }
  const HostTimes after = recorder.read().host;
  EXPECT_EQ(after[0], before[0]);
  EXPECT_GT(after[1], before[1]);
}

TEST(WorkAhead, DoesNotCount) {
  UsageRecorder& recorder = UsageRecorder::instance();
  const HostTimes before = recorder.read().host;
  {
    const WorkAhead ahead;
    const HostWorkScope input(HostWork::input);
  }
  EXPECT_EQ(recorder.read().host, before);
  { const HostWorkScope input(HostWork::input); }
  EXPECT_GT(recorder.read().host[0], before[0]);
}

}  // namespace
}  // namespace systolic::internal::runtime
