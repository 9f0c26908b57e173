#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

TEST(WithOptionsTest, TheLastOneSetsWhatItSays) {
  const Dataset dataset =
      Dataset::range(3)
          .with_options(
              {.deterministic = true, .autotune = {.ram_budget = 1 << 20}})
          .map([](int64_t x) { return x; })
          .with_options({.deterministic = false,
                         .threading = {.private_threadpool_size = 2}})
          .batch(2);
  const Options options = dataset.options();
  EXPECT_EQ(options.deterministic, false);
  EXPECT_EQ(options.threading.private_threadpool_size, 2);
  EXPECT_EQ(options.autotune.ram_budget, 1 << 20);
  EXPECT_FALSE(options.autotune.enabled);
  EXPECT_FALSE(Dataset::range(3).options().deterministic);
}

TEST(WithOptionsTest, InputsSideBySideAreMerged) {
  const Dataset slow = Dataset::range(3).with_options({.deterministic = false});
  const Dataset small =
      Dataset::range(3).with_options({.autotune = {.enabled = false}});
  for (const Dataset& both :
       {Dataset::zip(slow, small), slow.concatenate(small)}) {
    EXPECT_EQ(both.options().deterministic, false);
    EXPECT_EQ(both.options().autotune.enabled, false);
  }
}

// Whether a first element that waits is overtaken: it waits for another to be
// computed, or to be read as well, and at most 20 s.
enum class WaitFor { computed, read };
bool overtakes(
    WaitFor what,
    const std::function<Dataset(std::function<int64_t(int64_t)>)>& make) {
  std::atomic<bool> goes_on = false;
  const Dataset dataset = make([&](int64_t x) {
    if (x != 0 && what == WaitFor::computed) goes_on = true;
    for (int i = 0; x == 0 && i < 2000 && !goes_on; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return x;
  });
  Iterator it = dataset.iterator();
  const auto first = it.next().to<int64_t>();
  goes_on = true;
  return first != 0;
}

TEST(WithOptionsTest, DeterministicHoldsForTransformsBeforeAndBehind) {
  const MapOptions parallel{.num_parallel_calls = 4};
  const Dataset range = Dataset::range(50);
  const Options any{.deterministic = false};
  EXPECT_FALSE(overtakes(WaitFor::computed, [&](const auto& waits) {
    return range.map(waits, parallel);
  }));
  EXPECT_TRUE(overtakes(WaitFor::read, [&](const auto& waits) {
    return range.map(waits, parallel).with_options(any);
  }));
  EXPECT_TRUE(overtakes(WaitFor::read, [&](const auto& waits) {
    return range.with_options(any).map(waits, parallel);
  }));
  EXPECT_FALSE(overtakes(WaitFor::computed, [&](const auto& waits) {
    return range.with_options(any).map(
        waits, {.num_parallel_calls = 4, .deterministic = true});
  }));
}

TEST(WithOptionsTest, ThreadsAreLimited) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  const Dataset dataset =
      Dataset::range(40)
          .map(
              [&](int64_t x) {
                const int now = ++running;
                int seen = most;
                while (now > seen && !most.compare_exchange_weak(seen, now)) {
                }
                // However late the second thread starts.
                for (int i = 0; i < 20'000 && most < 2; ++i) {
                  std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                --running;
                return x;
              },
              {.num_parallel_calls = 8})
          .with_options({.threading = {.private_threadpool_size = 2}});
  EXPECT_EQ(values(dataset).size(), 40u);
  EXPECT_EQ(most, 2);
}

TEST(WithOptionsTest, BudgetsAndThreadsArePositive) {
  EXPECT_EQ(text_of<ValueError>([] {
              Dataset::range(3).with_options(
                  {.threading = {.private_threadpool_size = 0}});
            }),
            "with_options: expected threading.private_threadpool_size >= 1, "
            "got 0");
  EXPECT_THROW(Dataset::range(3).with_options({.autotune = {.cpu_budget = -1}}),
               ValueError);
  EXPECT_THROW(Dataset::range(3).with_options({.autotune = {.ram_budget = 0}}),
               ValueError);
}

TEST(WithOptionsTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) {
                  return input.with_options({.deterministic = true});
                },
                {.length = 40}),
            "");
}

}  // namespace
}  // namespace systolic::data
