#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data {
namespace {

std::vector<Dataset> parts() {
  return {Dataset::range(300), Dataset::range(1000, 1300)};
}

TEST(SampleTest, DrawsByWeights) {
  const Dataset sampled = Dataset::sample_from_datasets(
      parts(), {.weights = {0.8, 0.2}, .seed = 3});
  const std::vector<int64_t> all = values(sampled);
  EXPECT_EQ(all.size(), 600u);
  const auto low = std::count_if(all.begin(), all.begin() + 250,
                                 [](int64_t x) { return x < 1000; });
  EXPECT_GT(low, 175);
  EXPECT_LT(low, 225);
  EXPECT_EQ(values(sampled), all);
  EXPECT_EQ(sampled.cardinality(), 600);
  std::vector<int64_t> first;
  std::copy_if(all.begin(), all.end(), std::back_inserter(first),
               [](int64_t x) { return x < 1000; });
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
}

TEST(SampleTest, EndsWithTheFirstOrTheLast) {
  const Dataset stops = Dataset::sample_from_datasets(
      {Dataset::range(5), Dataset::range(1000, 1500)},
      {.seed = 3, .stop_on_empty_dataset = true});
  EXPECT_LT(values(stops).size(), 100u);
  EXPECT_EQ(stops.cardinality(), UNKNOWN_CARDINALITY);
  const Dataset one =
      Dataset::sample_from_datasets(parts(), {.weights = {0, 1}, .seed = 3});
  EXPECT_EQ(values(one).size(), 300u);
}

TEST(SampleTest, CountsWhatIsRead) {
  const auto count = [](const Dataset& a, const Dataset& b,
                        const SampleOptions& options) {
    return Dataset::sample_from_datasets({a, b}, options).cardinality();
  };
  const Dataset five = Dataset::range(5);
  const Dataset endless = five.repeat();
  EXPECT_EQ(count(five, Dataset::range(7), {.weights = {1, 0}}), 5);
  EXPECT_EQ(count(five, endless, {.stop_on_empty_dataset = true}),
            UNKNOWN_CARDINALITY);
  EXPECT_EQ(count(endless, endless, {.stop_on_empty_dataset = true}),
            INFINITE_CARDINALITY);
  EXPECT_EQ(count(five, endless, {}), INFINITE_CARDINALITY);
}

TEST(SampleTest, EachPassCanDrawAnew) {
  const Dataset sampled = Dataset::sample_from_datasets(
      parts(), {.seed = 3, .rerandomize_each_iteration = true});
  const std::vector<int64_t> first = values(sampled);
  EXPECT_NE(values(sampled), first);
}

TEST(SampleTest, Resumes) {
  EXPECT_EQ(resume_failure([] {
              return Dataset::sample_from_datasets(
                  {Dataset::range(20), Dataset::range(100, 110)}, {.seed = 3});
            }),
            "");
}

TEST(ChooseTest, MistakesAreNamed) {
  EXPECT_EQ(text_of<ValueError>([] {
              Dataset::choose_from_datasets(parts(), Dataset::range(2, 3))
                  .iterator()
                  .next();
            }),
            "choose_from_datasets: expected choices from 0 to 1, got 2");
  EXPECT_EQ(text_of<ValueError>([] { Dataset::sample_from_datasets({}); }),
            "sample_from_datasets: expected at least one data set, got none");
  EXPECT_EQ(
      text_of<ValueError>([] {
        Dataset::sample_from_datasets(parts(), {.weights = {1., 2., 3.}});
      }),
      "sample_from_datasets: expected a weight >= 0 for each of the 2 data "
      "sets, not all 0, got [1. 2. 3.]");
  EXPECT_EQ(text_of<TypeError>([] {
              Dataset::sample_from_datasets(
                  {Dataset::range(3), Dataset::from_tensors(1.f)});
            }),
            "sample_from_datasets: expected data sets whose elements have the "
            "same tree, dtypes and ranks, got int64[] and float32[]");
}

}  // namespace
}  // namespace systolic::data
