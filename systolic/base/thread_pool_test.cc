#include "systolic/base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/log.h"

namespace systolic {
namespace {

TEST(ThreadPoolTest, TheDestructorRunsWhatIsQueued) {
  std::atomic<int> count{0};
  {
    ThreadPool pool(3);
    EXPECT_EQ(pool.size(), 3);
    for (int i = 0; i < 100; ++i) pool.schedule([&] { ++count; });
  }
  EXPECT_EQ(count, 100);
}

TEST(ThreadPoolTest, TasksMayScheduleTasks) {
  std::promise<int> result;
  ThreadPool pool(1);
  pool.schedule([&] { pool.schedule([&] { result.set_value(7); }); });
  EXPECT_EQ(result.get_future().get(), 7);
}

TEST(ThreadPoolTest, AnExceptionIsLoggedAndTheThreadGoesOn) {
  std::string logged;
  LogSink before = set_log_sink(
      [&](LogLevel, std::string_view text) { logged = std::string(text); });
  {
    ThreadPool pool(1);
    pool.schedule([] { throw std::runtime_error("bad record"); });
    std::promise<void> after;
    pool.schedule([&] { after.set_value(); });
    after.get_future().get();
  }
  set_log_sink(std::move(before));
  EXPECT_EQ(logged, "thread pool: a task threw: bad record");
}

TEST(ThreadPoolTest, NeedsAThread) {
  try {
    ThreadPool pool(0);
    FAIL() << "nothing was thrown";
  } catch (const ValueError& e) {
    EXPECT_STREQ(e.what(), "ThreadPool: expected at least 1 thread, got 0");
  }
}

TEST(ThreadPoolTest, ParallelForVisitsEachIndexOnce) {
  ThreadPool pool(3);
  for (int64_t count : {0, 1, 7, 1000}) {
    std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
    pool.parallel_for(count, 3, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
    });
    for (auto& times : seen) EXPECT_EQ(times, 1);
  }
}

TEST(ThreadPoolTest, ParallelForNestsAndRethrows) {
  ThreadPool pool(2);
  std::atomic<int64_t> total{0};
  pool.parallel_for(8, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      pool.parallel_for(8, 1, [&](int64_t b, int64_t e) { total += e - b; });
    }
  });
  EXPECT_EQ(total, 64);
  EXPECT_THROW(pool.parallel_for(100, 1,
                                 [](int64_t begin, int64_t) {
                                   if (begin > 50) throw DataError("x");
                                 }),
               DataError);
}

TEST(ThreadPoolTest, TheGlobalPoolIsOne) {
  EXPECT_EQ(&ThreadPool::global(), &ThreadPool::global());
  EXPECT_GE(ThreadPool::global().size(), 1);
}

}  // namespace
}  // namespace systolic
