#include <gtest/gtest.h>

#include <vector>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data {
namespace {

// Nine of ten are of class 0.
int64_t class_of(int64_t x) { return x % 10 == 0 ? 1 : 0; }

Dataset resampled(int64_t count, std::vector<double> initial) {
  return Dataset::range(count).rejection_resample(
      class_of, {0.5, 0.5}, {.initial_dist = std::move(initial), .seed = 5});
}

double share_of_ones(const Dataset& dataset) {
  double count = 0;
  double ones = 0;
  for (auto [label, x] : dataset.as<int64_t, int64_t>()) {
    EXPECT_EQ(label, class_of(x));
    ones += double(label);
    ++count;
  }
  return ones / count;
}

TEST(RejectionResampleTest, ClassesHaveTheirShares) {
  EXPECT_NEAR(share_of_ones(resampled(20000, {0.9, 0.1})), 0.5, 0.03);
  EXPECT_NEAR(share_of_ones(resampled(20000, {})), 0.5, 0.03);
  EXPECT_EQ(resampled(9, {}).element_spec().to_string(), "(Array, int64[])");
}

TEST(RejectionResampleTest, EveryPassLeavesOthersOut) {
  const auto kept = [](const Dataset& dataset) {
    std::vector<int64_t> all;
    for (auto [label, x] : dataset.as<int64_t, int64_t>()) all.push_back(x);
    return all;
  };
  const Dataset dataset = resampled(200, {0.9, 0.1});
  const auto first = kept(dataset), second = kept(dataset);
  EXPECT_NE(first, second);
  // The same again from the same seed.
  const Dataset again = resampled(200, {0.9, 0.1});
  EXPECT_EQ(kept(again), first);
  EXPECT_EQ(kept(again), second);
}

TEST(RejectionResampleTest, Resumes) {
  EXPECT_EQ(resume_failure([] { return resampled(200, {}).repeat(2); }), "");
}

TEST(RejectionResampleTest, MistakesAreNamed) {
  EXPECT_EQ(text_of<ValueError>([] {
              Dataset::range(3).rejection_resample(class_of, {0.5, 0.6});
            }),
            "rejection_resample: expected target_dist to hold shares >= 0 that "
            "add up to 1, got [0.5 0.6]");
  EXPECT_EQ(text_of<ValueError>([] { resampled(3, {1.}); }),
            "rejection_resample: expected initial_dist of as many classes as "
            "target_dist: 2, got 1");
  EXPECT_EQ(text_of<ValueError>([] {
              Dataset::range(3)
                  .rejection_resample([](int64_t x) { return x + 2; },
                                      {0.5, 0.5})
                  .iterator()
                  .next();
            }),
            "rejection_resample (element 0): class_func: expected a class from "
            "0 to 1, got 2");
}

}  // namespace
}  // namespace systolic::data
