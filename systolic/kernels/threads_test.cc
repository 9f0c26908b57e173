#include "systolic/kernels/threads.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "systolic/testing/ffi_frame.h"

namespace systolic::internal::kernels {
namespace {

using testing::FfiFrame;

int threads_for(int64_t threads, int64_t replicas) {
  FfiFrame frame;
  frame.attribute("replicas", replicas).attribute("threads", threads);
  return threads_of(pjrt::FfiCall(*frame.frame()));
}

TEST(ThreadsTest, CoresAreSharedAmongReplicas) {
  const int cores = omp_get_num_procs();
  FfiFrame none;
  EXPECT_EQ(threads_of(pjrt::FfiCall(*none.frame())), cores);
  EXPECT_EQ(threads_for(0, 1), cores);
  EXPECT_EQ(threads_for(0, 2), std::max(1, cores / 2));
  EXPECT_EQ(threads_for(0, 1000000), 1);
}

TEST(ThreadsTest, ThreadsMayBeGiven) {
  EXPECT_EQ(threads_for(3, 8), 3);
  EXPECT_EQ(threads_for(-1, 1), 1);
}

TEST(ThreadsTest, ParallelVisitsEachOnce) {
  for (int threads : {1, 2, 7}) {
    for (int64_t count : {0, 1, 2, 100}) {
      std::vector<std::atomic<int>> visits(count);
      parallel(count, threads, [&](int64_t i) { ++visits[i]; });
      for (auto& visit : visits) EXPECT_EQ(visit, 1);
    }
  }
}

TEST(ThreadsTest, ParallelUsesAtMostTheseThreads) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  parallel(50, 2, [&](int64_t) {
    int now = ++running;
    int seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    --running;
  });
  EXPECT_LE(most, 2);
}

TEST(ThreadsTest, ParallelPassesExceptionsOn) {
  for (int threads : {1, 2}) {
    EXPECT_THROW(
        parallel(9, threads, [](int64_t) { throw std::runtime_error("no"); }),
        std::runtime_error);
  }
}

TEST(ThreadsTest, AScopeEndsWithThePreviousNumber) {
  const int before = omp_get_max_threads();
  {
    ThreadScope scope(before + 3);
    EXPECT_EQ(omp_get_max_threads(), before + 3);
  }
  EXPECT_EQ(omp_get_max_threads(), before);
}

}  // namespace
}  // namespace systolic::internal::kernels
