#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "systolic/base/error.h"
#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/row_views.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

using Values = std::vector<int64_t>;

Values sorted(Values v) {
  std::sort(v.begin(), v.end());
  return v;
}

TEST(ShuffleTest, GivesEachElementOnceInAnotherOrder) {
  const Values plain = values(Dataset::range(100));
  const Values shuffled = values(Dataset::range(100).shuffle(100, {.seed = 1}));
  EXPECT_NE(shuffled, plain);
  EXPECT_EQ(sorted(shuffled), plain);
}

TEST(ShuffleTest, EqualSeedsGiveEqualOrdersInEveryPass) {
  const Dataset a = Dataset::range(50).shuffle(20, {.seed = 5});
  const Dataset b = Dataset::range(50).shuffle(20, {.seed = 5});
  const Values first = values(a);
  const Values second = values(a);
  EXPECT_NE(first, second);
  EXPECT_EQ(values(b), first);
  EXPECT_EQ(values(b), second);
  EXPECT_NE(values(Dataset::range(50).shuffle(20, {.seed = 6})), first);
}

TEST(ShuffleTest, WithoutReshufflingASplitStaysApart) {
  const Dataset shuffled = Dataset::range(60).shuffle(
      60, {.seed = 5, .reshuffle_each_iteration = false});
  LogCapture log;
  const Dataset train = shuffled.skip(20);
  const Dataset held_out = shuffled.take(20);
  EXPECT_TRUE(log.lines.empty());
  const Values first = values(held_out);
  for (int epoch = 0; epoch < 3; ++epoch) {
    Values both = values(train);
    const Values part = values(held_out);
    EXPECT_EQ(part, first);
    both.insert(both.end(), part.begin(), part.end());
    EXPECT_EQ(sorted(both), values(Dataset::range(60)));
  }
}

TEST(ShuffleTest, ScalarsTakeLittleMoreThanTheirBytes) {
  constexpr int64_t kCount = 500'000;
  const auto run = std::make_shared<PipelineRun>(Options());
  const Dataset dataset =
      Dataset::range(kCount).map([](int64_t x) { return x; }).shuffle(kCount);
  const auto it = dataset.node()->make_iterator({.run = run});
  Element element;
  ASSERT_TRUE(it->get_next(&element));
  EXPECT_GE(run->memory_held(MemoryUse::kept), 8 * kCount / 2);
  EXPECT_LE(run->memory_held(MemoryUse::kept), 3 * 8 * kCount);
}

TEST(ShuffleTest, BatchesHaveTheOrderOfTheElements) {
  const auto shuffled = [](const Dataset& input) {
    return input.shuffle(20, {.seed = 5}).repeat(2).take(70);
  };
  const Dataset slices = Dataset::from_tensor_slices(
      Array::from(values(Dataset::range(50))), Array::zeros({50, 2}));
  const Dataset mapped =
      Dataset::range(50).map([](int64_t x) { return std::to_string(x); });
  for (const Dataset& input : {Dataset::range(50), slices, mapped}) {
    Iterator elements = shuffled(input).iterator();
    for (auto& batch : shuffled(input).batch(9)) {
      const detail::RowViews rows("test", batch);
      for (int64_t i = 0; i < rows.rows(); ++i) {
        ASSERT_TRUE(element_equal(rows.row(i), elements.next()));
      }
    }
    Element element;
    EXPECT_FALSE(elements.get_next(&element));
  }
}

TEST(ShuffleTest, RepeatReshufflesUnlessToldNotTo) {
  const Values moving =
      values(Dataset::range(30).shuffle(30, {.seed = 5}).repeat(2));
  EXPECT_NE(Values(moving.begin(), moving.begin() + 30),
            Values(moving.begin() + 30, moving.end()));
  const Dataset still = Dataset::range(30).shuffle(
      30, {.seed = 5, .reshuffle_each_iteration = false});
  EXPECT_EQ(values(still), values(still));
  const Values twice = values(still.repeat(2));
  EXPECT_EQ(Values(twice.begin(), twice.begin() + 30),
            Values(twice.begin() + 30, twice.end()));
}

TEST(ShuffleTest, AnUnsetSeedComesFromTheProgramsSeed) {
  const auto build = [] { return values(Dataset::range(50).shuffle(50)); };
  set_random_seed(11);
  const Values first = build();
  const Values second = build();
  EXPECT_NE(first, second);
  set_random_seed(11);
  EXPECT_EQ(build(), first);
  EXPECT_EQ(build(), second);
}

TEST(ShuffleTest, DrawsOnlyFromTheBuffer) {
  const Values shuffled = values(Dataset::range(100).shuffle(10, {.seed = 1}));
  for (size_t i = 0; i < shuffled.size(); ++i) {
    EXPECT_LT(shuffled[i], static_cast<int64_t>(i) + 10);
  }
  EXPECT_EQ(values(Dataset::range(9).shuffle(1)), values(Dataset::range(9)));
}

TEST(ShuffleTest, DrawsEachPlaceAboutEquallyOften) {
  std::vector<int> first(10);
  const Dataset dataset = Dataset::range(10).shuffle(10, {.seed = 2});
  for (int i = 0; i < 2000; ++i) {
    ++first[dataset.iterator().next().to<size_t>()];
  }
  // 200 expected, standard deviation 13.4.
  for (int count : first) EXPECT_NEAR(count, 200, 67);
}

TEST(ShuffleTest, SplitsWithoutReshufflingAreDisjoint) {
  const Dataset all = Dataset::range(40).shuffle(
      40, {.seed = 3, .reshuffle_each_iteration = false});
  std::set<int64_t> train;
  std::set<int64_t> validation;
  for (int pass = 0; pass < 3; ++pass) {
    for (int64_t x : values(all.take(30))) train.insert(x);
    for (int64_t x : values(all.skip(30))) validation.insert(x);
  }
  EXPECT_EQ(train.size(), 30u);
  EXPECT_EQ(validation.size(), 10u);
}

// The exception of an element that enters the buffer behind the last row costs
// no row that was drawn before.
TEST(ShuffleTest, AnExceptionBehindABatchLeavesItWhole) {
  const Dataset dataset = Dataset::range(20)
                              .map([](int64_t x) {
                                if (x == 9) throw ValueError("nine");
                                return x;
                              })
                              .shuffle(5, {.seed = 1})
                              .batch(5);
  Iterator it = dataset.iterator();
  EXPECT_EQ(it.next().array().shape(), (Shape{5}));
  EXPECT_THROW(it.next(), ValueError);
  EXPECT_EQ(it.next().array().shape(), (Shape{5}));
}

TEST(ShuffleTest, RefusesABufferOfNothing) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset::range(3).shuffle(0); }),
            "shuffle: expected buffer_size >= 1, got 0\n"
            "  hint: the number of elements shuffles them fully");
}

TEST(ShuffleTest, Contract) {
  EXPECT_EQ(
      testing::dataset_contract(
          [](const Dataset& input) { return input.shuffle(25, {.seed = 4}); },
          {.length = 40, .same_in_each_pass = false}),
      "");
}

}  // namespace
}  // namespace systolic::data
