// What the elements of a pipeline take, held against its RAM budget and the
// constant that pipeline_options.h states.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data {
namespace {

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kChunk = 4 * kMiB;

Options budget(int64_t bytes) { return {.autotune = {.ram_budget = bytes}}; }

// The bytes of all elements that are alive, and the most that there were.
struct Live {
  std::atomic<int64_t> now = 0;
  std::atomic<int64_t> most = 0;
  std::atomic<int64_t> made = 0;

  Array make(int64_t bytes) {
    ++made;
    const int64_t held = now += bytes;
    int64_t before = most;
    while (held > before && !most.compare_exchange_weak(before, held)) {
    }
    auto* const memory = new uint8_t[static_cast<size_t>(bytes)];
    memory[0] = 1;
    return Array::share(
        {DType::uint8, Shape({bytes})}, memory,
        std::shared_ptr<const void>(memory, [this, bytes](const uint8_t* p) {
          delete[] p;
          now -= bytes;
        }));
  }
};

// Until the readers ahead have made nothing for a while.
void wait_until_calm(const std::atomic<int64_t>& made) {
  int64_t before = -1;
  for (int calm = 0; calm < 5; ++calm) {
    if (before != made) calm = 0;
    before = made;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// The most bytes alive while some elements of a pipeline are read and what is
// made ahead of them.
int64_t peak(const Dataset& dataset, int64_t ram_budget, Live* live) {
  live->most = 0;
  {
    Iterator it = dataset.with_options(budget(ram_budget)).iterator();
    Element element;
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(it.get_next(&element));
    wait_until_calm(live->made);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(it.get_next(&element));
    wait_until_calm(live->made);
  }
  EXPECT_EQ(live->now, 0) << "what is not read is given back";
  return live->most;
}

class MemoryBudgetTest : public ::testing::TestWithParam<int64_t> {
 protected:
  // Elements of the parameter's size.
  Dataset large(int64_t threads = 1) {
    return Dataset::range(4000).map(
        [this](int64_t) { return live_.make(GetParam()); },
        {.num_parallel_calls = threads});
  }
  // What a thread is at, or the reader.
  static int64_t piece() { return std::max(kChunk, GetParam()); }

  Live live_;
};

constexpr int64_t kBudget = 64 * kMiB;  // 16 of them ahead

INSTANTIATE_TEST_SUITE_P(Sizes, MemoryBudgetTest,
                         ::testing::Values(kMiB / 8, kMiB, 10 * kMiB));

TEST_P(MemoryBudgetTest, PrefetchKeepsIt) {
  // One in the queue, one that is made, one that is read.
  EXPECT_LE(peak(large().prefetch(1000), kBudget, &live_),
            kBudget / 4 + 3 * GetParam());
  EXPECT_LE(peak(large().prefetch(AUTOTUNE), kBudget, &live_),
            kBudget / 4 + 3 * GetParam());
}

TEST_P(MemoryBudgetTest, ParallelMapKeepsIt) {
  for (const int64_t threads : {4, 32}) {
    EXPECT_LE(peak(large(threads), kBudget, &live_),
              kBudget / 4 + (threads + 1) * piece())
        << threads;
  }
  const Options four{.threading = {.private_threadpool_size = 4}};
  EXPECT_LE(peak(large(AUTOTUNE).with_options(four), kBudget, &live_),
            kBudget / 4 + 5 * piece());
}

TEST_P(MemoryBudgetTest, ParallelBatchKeepsIt) {
  // Each batch is made of as many bytes again.
  EXPECT_LE(peak(large().batch(2, {.num_parallel_calls = 4}), kBudget, &live_),
            kBudget / 4 + 5 * 2 * GetParam());
}

TEST_P(MemoryBudgetTest, InterleaveKeepsIt) {
  for (const bool deterministic : {true, false}) {
    const Dataset dataset = Dataset::range(1000).interleave(
        [this](int64_t) { return large(); }, {.cycle_length = 64,
                                              .num_parallel_calls = 4,
                                              .deterministic = deterministic});
    EXPECT_LE(peak(dataset, kBudget, &live_), kBudget / 4 + 5 * piece())
        << deterministic;
  }
}

TEST_P(MemoryBudgetTest, AllStagesOfAPipelineShareIt) {
  const Dataset dataset =
      Dataset::range(1000)
          .interleave([this](int64_t) { return large(); },
                      {.cycle_length = 16, .num_parallel_calls = 2})
          .map([this](const Array&) { return live_.make(GetParam()); },
               {.num_parallel_calls = 2})
          .prefetch(1000);
  EXPECT_LE(peak(dataset, kBudget, &live_), kBudget / 4 + 8 * piece());
}

TEST_P(MemoryBudgetTest, ShuffleKeepsItOrThrows) {
  const int64_t count = kBudget * 3 / 4 / GetParam();
  EXPECT_LE(peak(large().shuffle(count - 1), kBudget, &live_),
            kBudget * 3 / 4 + 2 * GetParam());
  for (const Dataset& dataset : {large().shuffle(count + 2), large().cache()}) {
    live_.most = 0;
    EXPECT_THROW(
        {
          Iterator it = dataset.with_options(budget(kBudget)).iterator();
          for (Element element; it.get_next(&element);) {
          }
        },
        ValueError);
    EXPECT_LE(live_.most, kBudget * 3 / 4 + 2 * GetParam());
  }
}

TEST(ViewsTest, CountWithTheWholeThatTheyKeep) {
  // A part of a MiB that nobody else has; smaller ones are copied by shuffle.
  const auto row = [](int64_t) { return Array::zeros({8, kMiB / 32})[0]; };
  std::atomic<int64_t> made = 0;
  const auto counted = [&](int64_t x) {
    ++made;
    return row(x);
  };
  EXPECT_THROW(Dataset::range(100)
                   .map(row)
                   .shuffle(64)
                   .with_options(budget(20 * kMiB))
                   .iterator()
                   .next(),
               ValueError);
  for (const Dataset& dataset :
       {Dataset::range(1000).map(counted).prefetch(500),
        Dataset::range(1000).interleave(
            [&](int64_t x) { return Dataset::range(x, x + 50).map(counted); },
            {.num_parallel_calls = 2}),
        Dataset::range(1000).map(counted, {.num_parallel_calls = 2})}) {
    made = 0;
    Iterator it = dataset.with_options(budget(32 * kMiB)).iterator();
    it.next();
    for (int i = 0; i < 10'000 && made < 2; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GE(made, 2);
    wait_until_calm(made);
    EXPECT_LE(made, 8 + 3 * 4);
  }
}

TEST(StringsTest, CountWithTheirCharactersInInterleave) {
  std::atomic<int64_t> made = 0;
  const Dataset dataset = Dataset::range(40).interleave(
      [&](int64_t) {
        return Dataset::range(100).map([&](int64_t) {
          ++made;
          return std::string(kMiB, 'x');
        });
      },
      {.num_parallel_calls = 2});
  Iterator it = dataset.with_options(budget(32 * kMiB)).iterator();
  it.next();
  wait_until_calm(made);
  EXPECT_LE(made, 8 + 3);
}

}  // namespace
}  // namespace systolic::data
