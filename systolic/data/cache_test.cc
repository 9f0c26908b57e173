#include <gtest/gtest.h>

#include <atomic>

#include "systolic/base/error.h"
#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

// range(count) that counts how often an element is made.
Dataset counted(int64_t count, std::atomic<int>* made) {
  return Dataset::range(count).map([made](int64_t x) {
    ++*made;
    return x;
  });
}

TEST(CacheTest, ASecondPassReadsNothing) {
  std::atomic<int> made = 0;
  const Dataset dataset = counted(5, &made).cache();
  const std::vector<int64_t> first = values(dataset);
  EXPECT_EQ(made, 5);
  EXPECT_EQ(values(dataset), first);
  EXPECT_EQ(values(dataset.repeat(3)).size(), 15u);
  EXPECT_EQ(made, 5);
}

TEST(CacheTest, AnUnfinishedPassIsNoCache) {
  std::atomic<int> made = 0;
  const Dataset dataset = counted(5, &made).cache();
  EXPECT_EQ(values(dataset.take(2)).size(), 2u);
  EXPECT_EQ(values(dataset).size(), 5u);
  EXPECT_EQ(made, 7);
  EXPECT_EQ(values(dataset).size(), 5u);
  EXPECT_EQ(made, 7);
}

TEST(CacheTest, APassWithAnErrorIsNoCache) {
  std::atomic<int> calls = 0;
  const Dataset dataset = Dataset::range(5)
                              .map([&](int64_t x) {
                                if (calls++ == 2) throw ValueError("once");
                                return x;
                              })
                              .cache();
  Iterator it = dataset.iterator();
  int seen = 0;
  Element element;
  for (bool more = true; more;) {
    try {
      more = it.get_next(&element);
      seen += more;
    } catch (const ValueError&) {
    }
  }
  EXPECT_EQ(seen, 4);
  EXPECT_EQ(values(dataset).size(), 5u);
}

TEST(CacheTest, AStoppedPassIsNoCache) {
  std::atomic<int> made = 0;
  const Dataset dataset = counted(5000, &made).cache();
  { dataset.prefetch(3).iterator().next(); }
  EXPECT_EQ(values(dataset).size(), 5000u);
}

TEST(CacheTest, TwoFirstPassesAtATimeAgree) {
  std::atomic<int> made = 0;
  const Dataset dataset = counted(4, &made).cache();
  Iterator a = dataset.iterator();
  Iterator b = dataset.iterator();
  Element element;
  while (a.get_next(&element) && b.get_next(&element)) {
  }
  EXPECT_EQ(values(dataset).size(), 4u);
  EXPECT_EQ(made, 8);
}

TEST(CacheTest, WritingToAnElementLeavesTheCacheAlone) {
  const Dataset dataset =
      Dataset::from_tensor_slices(Array::from({1.f, 2.f}, {2, 1}))
          .map([](Array x) { return x; })
          .cache();
  for (int pass = 0; pass < 2; ++pass) {
    for (Array& x : dataset.as<Array>()) {
      EXPECT_LT(x.span<float>()[0], 9.f);
      x.mutable_span<float>()[0] = 9.f;
    }
  }
}

TEST(CacheTest, WarnsBehindAShuffle) {
  LogCapture log;
  Dataset::range(3).shuffle(3, {.reshuffle_each_iteration = false}).cache();
  Dataset::range(3).cache().shuffle(3);
  EXPECT_TRUE(log.lines.empty());
  Dataset::range(3).shuffle(3).cache();
  EXPECT_EQ(log.lines,
            (std::vector<std::string>{
                "warning: cache: the input shuffles, so every pass will have "
                "the order of the first; to reshuffle, cache() before "
                "shuffle()"}));
}

TEST(CacheTest, WarnsOfAShuffleBehindAMapThatDrawsNothing) {
  LogCapture log;
  const Dataset shuffled =
      Dataset::range(3).shuffle(3).map([](int64_t x) { return x; });
  EXPECT_EQ(values(shuffled.cache()).size(), 3u);
  EXPECT_EQ(log.lines,
            (std::vector<std::string>{
                "warning: cache: the input shuffles, so every pass will have "
                "the order of the first; to reshuffle, cache() before "
                "shuffle()"}));
  values(Dataset::range(3)
             .shuffle(3)
             .cache()
             .map([](int64_t x) { return x; })
             .cache());
  EXPECT_EQ(log.lines.size(), 2u) << "of the first cache() alone";
}

TEST(CacheTest, WarnsBehindARandomMap) {
  LogCapture log;
  const auto noise = [](int64_t) {
    return static_cast<int64_t>(internal::draw_seed());
  };
  const Dataset inside = Dataset::range(4).map(noise).cache();
  EXPECT_EQ(values(inside), values(inside));
  EXPECT_EQ(log.lines,
            (std::vector<std::string>{
                "warning: cache: the input draws random numbers, so every "
                "pass will have those of the first; to draw new ones, cache() "
                "before the random map()"}));
  const Dataset outside = Dataset::range(4).cache().map(noise);
  EXPECT_NE(values(outside), values(outside));
  EXPECT_EQ(log.lines.size(), 1u);
}

TEST(CacheTest, BatchesOfACacheAreThoseOfItsElements) {
  const Dataset elements =
      Dataset::range(50).map([](int64_t x) { return std::pair(x, 2.f * x); });
  const Dataset cached = elements.cache();
  for (int pass = 0; pass < 2; ++pass) {
    Iterator expected = elements.repeat(2).skip(3).batch(8).iterator();
    for (auto& batch : cached.repeat(2).skip(3).batch(8)) {
      ASSERT_TRUE(element_equal(batch, expected.next()));
    }
  }
}

// A state of the first pass that is restored where the cache is full by now.
TEST(CacheTest, AStateOfTheFirstPassFillsTheCacheAgain) {
  const Dataset dataset =
      Dataset::range(10).shuffle(10, {.seed = 1}).cache().repeat(2);
  Iterator first = dataset.iterator();
  for (int i = 0; i < 3; ++i) first.next();
  const std::string state = first.save();
  std::string expected;
  Element element;
  while (first.get_next(&element)) expected += element.to_string() + ' ';
  Iterator again = dataset.iterator(state);
  std::string got;
  while (again.get_next(&element)) got += element.to_string() + ' ';
  EXPECT_EQ(got, expected);
}

// What the buffers before had room for may be too much where it is restored.
TEST(CacheTest, AFullCacheIsNotRestoredBeyondTheBudget) {
  const auto build = [](int64_t budget) {
    return Dataset::range(64)
        .map([](int64_t x) { return Array::full({100'000}, double(x)); })
        .cache()
        .repeat(2)
        .with_options({.autotune = {.ram_budget = budget}});
  };
  Iterator first = build(int64_t{1} << 30).iterator();
  for (int i = 0; i < 70; ++i) first.next();
  const std::string state = first.save();
  EXPECT_THROW(build(int64_t{1} << 20).iterator(state), ResourceExhaustedError);
}

// Threads below are ahead by the time that the state is restored.
TEST(CacheTest, ResumesAboveThreads) {
  const auto build = [] {
    return Dataset::range(20)
        .shuffle(20, {.seed = 1})
        .repeat(3)
        .prefetch(8)
        .cache();
  };
  for (int place = 8; place < 30; ++place) {
    Iterator unbroken = build().iterator();
    for (int i = 0; i < place; ++i) unbroken.next();
    Iterator resumed = build().iterator(unbroken.save());
    const std::string twice = build().iterator(resumed.save()).save();
    EXPECT_EQ(twice, resumed.save());
    Element element;
    while (unbroken.get_next(&element)) {
      ASSERT_TRUE(element_equal(element, resumed.next())) << place;
    }
  }
}

TEST(CacheTest, Contract) {
  EXPECT_EQ(
      testing::dataset_contract(
          [](const Dataset& input) { return input.cache(); }, {.length = 40}),
      "");
}

}  // namespace
}  // namespace systolic::data
