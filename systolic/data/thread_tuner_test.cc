#include "systolic/data/thread_tuner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data::detail {
namespace {

IteratorContext with(const Options& options) {
  return {.run = std::make_shared<PipelineRun>(options)};
}

TEST(ThreadRangeTest, FollowsTheOptions) {
  EXPECT_EQ(thread_range({}, 3).first, 3);
  EXPECT_EQ(thread_range({}, 3).most, 3);
  EXPECT_EQ(thread_range({}, 1'000'000).first, 1024);
  const ThreadRange small =
      thread_range(with({.threading = {.private_threadpool_size = 2}}), 8);
  EXPECT_EQ(small.first, 2);
  EXPECT_EQ(small.most, 2);
  const ThreadRange tuned =
      thread_range(with({.autotune = {.cpu_budget = 2}}), AUTOTUNE);
  EXPECT_EQ(tuned.first, 2);
  EXPECT_EQ(tuned.most, 64);
  EXPECT_EQ(tuned.most_tried, 2) << "the user's budget is kept";
  const ThreadRange free = thread_range(with({}), AUTOTUNE);
  EXPECT_EQ(free.most_tried, std::min(4 * free.first, free.most));
  const ThreadRange fixed = thread_range(
      with({.autotune = {.enabled = false, .cpu_budget = 2}}), AUTOTUNE);
  EXPECT_EQ(fixed.most, 2);
  EXPECT_EQ(text_of<ValueError>([] { check_parallel_calls("map", 0); }),
            "map: expected num_parallel_calls >= 1 or data::AUTOTUNE, got 0");
  EXPECT_NO_THROW(check_parallel_calls("map", AUTOTUNE));
}

constexpr int64_t kMillisecond = 1'000'000;

int after_waits(ThreadTuner* tuner, int64_t elapsed, int64_t busy) {
  for (int i = 0; i < 100; ++i) {
    tuner->add_work(elapsed, busy);
    tuner->threads_after_wait();
  }
  return tuner->threads();
}

TEST(ThreadTunerTest, WorkThatComputesKeepsTheThreads) {
  ThreadTuner tuner({2, 64});
  EXPECT_EQ(after_waits(&tuner, kMillisecond, kMillisecond), 2);
  EXPECT_EQ(after_waits(&tuner, kMillisecond, kMillisecond * 8 / 10), 2);
}

TEST(ThreadTunerTest, WorkThatWaitsGetsAsManyAsItNeeds) {
  ThreadTuner tuner({2, 64});
  EXPECT_EQ(after_waits(&tuner, kMillisecond, kMillisecond / 8), 16);
  EXPECT_EQ(after_waits(&tuner, kMillisecond, 0), 64);
}

// Results for a second in which `rate(threads)` come each millisecond.
template <class Rate>
void results(ThreadTuner* tuner, int64_t* now, const Rate& rate,
             bool waited = true) {
  for (int i = 0; i < 1000; ++i) {
    *now += kMillisecond;
    tuner->add_results(rate(tuner->threads()), waited, *now);
  }
}

TEST(ThreadTunerTest, MoreThreadsAreKeptWhereResultsComeFaster) {
  ThreadTuner tuner({2, 64, 16});
  int64_t now = kMillisecond;
  // As long as there are up to eight, of a processor that others use too.
  const auto shared = [](int threads) { return std::min(threads, 8); };
  results(&tuner, &now, shared);
  results(&tuner, &now, shared);
  EXPECT_EQ(tuner.chosen(), 8);
  EXPECT_LE(tuner.threads(), 16);
  for (int i = 0; i < 10; ++i) results(&tuner, &now, shared);
  EXPECT_EQ(tuner.chosen(), 8);
}

TEST(ThreadTunerTest, MoreThreadsAreNotKeptWhereTheyDoNotHelp) {
  ThreadTuner tuner({2, 64, 8});
  int64_t now = kMillisecond;
  const auto steady = [](int) { return 10; };
  int64_t tried = 0;
  for (int i = 0; i < 60; ++i) {
    results(&tuner, &now, [&](int threads) {
      tried += threads > 2 ? 1 : 0;
      return steady(threads);
    });
  }
  EXPECT_EQ(tuner.chosen(), 2);
  EXPECT_EQ(tuner.threads(), 2);
  EXPECT_GT(tried, 0);
  EXPECT_LT(tried, 60'000 / 20) << "trials become rare";
}

// What a trial measured of fewer threads says nothing of more.
TEST(ThreadTunerTest, ATrialBeginsAnewWithOtherThreads) {
  ThreadTuner tuner({2, 64, 32});
  int64_t now = kMillisecond;
  // As if sixteen were twice as fast as two, and more no better.
  const auto rate = [](int threads) { return threads < 16 ? 10 : 20; };
  const auto windows = [&](int count) {
    for (int i = 0; i < 80 * count; ++i) {
      now += kMillisecond;
      tuner.add_results(rate(tuner.threads()), true, now);
    }
  };
  windows(5);
  EXPECT_EQ(after_waits(&tuner, kMillisecond, kMillisecond / 8), 16);
  windows(40);
  EXPECT_EQ(tuner.chosen(), 16);
}

TEST(ThreadTunerTest, NothingIsTriedForAReaderThatNeedNotWait) {
  ThreadTuner tuner({2, 64, 8});
  int64_t now = kMillisecond;
  const auto more = [&](int threads) {
    EXPECT_EQ(threads, 2);
    return threads;
  };
  results(&tuner, &now, more, false);
  ThreadTuner fixed({4, 4, 4});
  results(&fixed, &now, [](int threads) { return threads; });
  EXPECT_EQ(fixed.threads(), 4);
}

// What a thread with this work makes of a tuner of {2, 64} whose reader waits.
template <class Work>
int threads_for(const Work& work) {
  ThreadTuner tuner({2, 64});
  std::thread([&] {
    WorkMeter meter(tuner);
    for (int i = 0; i < 20; ++i) {
      meter.begin();
      const auto start = std::chrono::steady_clock::now();
      work();
      const auto elapsed = std::chrono::steady_clock::now() - start;
      meter.end(elapsed / std::chrono::nanoseconds(1));
      tuner.threads_after_wait();
    }
  }).join();
  return tuner.threads();
}

// A millisecond on a hardware thread.
void compute() {
  const int64_t end = ThreadUsage::now().cpu + kMillisecond;
  while (ThreadUsage::now().cpu < end) {
  }
}

TEST(WorkMeterTest, SleepIsWaiting) {
  EXPECT_GE(threads_for([] {
              std::this_thread::sleep_for(std::chrono::milliseconds(3));
            }),
            16);
  EXPECT_EQ(threads_for(compute), 2);
}

// Threads that have the hardware meanwhile make nobody wait who would compute:
// else more threads would call for still more.
TEST(WorkMeterTest, HardwareThatOthersHaveIsNoWaiting) {
  if (!std::ifstream("/proc/thread-self/schedstat")) {
    GTEST_SKIP() << "the system does not say who waits for the hardware";
  }
  std::atomic<bool> done = false;
  std::vector<std::thread> others;
  for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
    others.emplace_back([&] {
      while (!done) {
      }
    });
  }
  // What the host of a virtual machine takes away, and late timers, do look
  // like waiting: one of many tries is without.
  int threads = 0;
  for (int tries = 0; tries < 50 && threads != 2; ++tries) {
    threads = threads_for([] {
      compute();
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    });
  }
  done = true;
  for (std::thread& other : others) other.join();
  EXPECT_EQ(threads, 2);
}

TEST(ThreadTunerTest, WithoutWaitsOrWorkNothingChanges) {
  ThreadTuner tuner({2, 64});
  for (int i = 0; i < 100; ++i) tuner.add_work(kMillisecond, 0);
  EXPECT_EQ(tuner.threads(), 2);
  ThreadTuner idle({2, 64});
  for (int i = 0; i < 100; ++i) idle.threads_after_wait();
  EXPECT_EQ(idle.threads(), 2);
}

}  // namespace
}  // namespace systolic::data::detail
