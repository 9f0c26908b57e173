#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

using std::chrono::milliseconds;

class PrefetchTest : public ::testing::TestWithParam<int64_t> {};

INSTANTIATE_TEST_SUITE_P(Sizes, PrefetchTest,
                         ::testing::Values(0, 1, 2, 64, AUTOTUNE));

TEST_P(PrefetchTest, GivesWhatItReads) {
  EXPECT_EQ(values(Dataset::range(1000).prefetch(GetParam())),
            values(Dataset::range(1000)));
}

TEST_P(PrefetchTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) { return input.prefetch(GetParam()); },
                {.length = 40}),
            "");
}

TEST_P(PrefetchTest, OverParallelMapsJoinsEverything) {
  EXPECT_EQ(
      testing::dataset_contract(
          [](const Dataset& input) {
            return input
                .map([](int64_t x) { return x; }, {.num_parallel_calls = 3})
                .prefetch(GetParam())
                .map([](int64_t x) { return x; }, {.num_parallel_calls = 2})
                .prefetch(GetParam());
          },
          {.length = 40}),
      "");
}

TEST(PrefetchAheadTest, MakesAsManyAheadAsAskedFor) {
  std::atomic<int> made = 0;
  const Dataset dataset = Dataset::range(100)
                              .map([&](int64_t x) {
                                ++made;
                                return x;
                              })
                              .prefetch(4);
  Iterator it = dataset.iterator();
  it.next();
  for (int i = 0; i < 1000 && made < 5; ++i) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(made, 5) << "one read, four waiting";
}

TEST(PrefetchAheadTest, AutotuneKeepsToItsMemory) {
  constexpr int64_t kFloats = 1 << 22;  // 16 MiB
  std::atomic<int> made = 0;
  const Dataset dataset =
      Dataset::range(60)
          .map([&](int64_t) {
            ++made;
            return Array::uninitialized({DType::float32, {kFloats}});
          })
          .prefetch(AUTOTUNE)
          .with_options({.autotune = {.ram_budget = int64_t{512} << 20}});
  Iterator it = dataset.iterator();
  int read = 0;
  Element element;
  while (it.get_next(&element)) {
    ++read;
    std::this_thread::sleep_for(milliseconds(2));
    EXPECT_LE(made - read, 9) << "a quarter of the budget, and one being made";
  }
  EXPECT_EQ(read, 60);
}

TEST(PrefetchAheadTest, RefusesOtherNegativeSizes) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset::range(3).prefetch(-2); }),
            "prefetch: expected buffer_size >= 0 or data::AUTOTUNE, got -2");
}

}  // namespace
}  // namespace systolic::data
