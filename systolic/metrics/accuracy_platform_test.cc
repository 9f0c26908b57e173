#include <gtest/gtest.h>

#include <limits>

#include "systolic/base/error.h"
#include "systolic/metrics/accuracy.h"
#include "systolic/testing/golden.h"

namespace systolic::metrics {
namespace {

std::string difference(const Tensor& got, std::vector<float> wanted,
                       Shape shape = {}) {
  return golden::difference(got.numpy(), Array::from(wanted, shape));
}

const Array kScores = Array::from(
    {0.1f, 0.9f, 0.8f, 0.05f, 0.95f, 0.f, 0.3f, 0.3f, 0.3f}, {3, 3});

TEST(AccuracyPlatformTest, FunctionsScoreEachExample) {
  const Array labels = Array::from<int64_t>({1, 0, 0});
  EXPECT_EQ(difference(sparse_categorical_accuracy(labels, kScores), {1, 0, 1}),
            "");
  const Array column = Array::from<int64_t>({1, 0, 0}, {3, 1});
  EXPECT_EQ(difference(sparse_categorical_accuracy(column, kScores), {1, 0, 1}),
            "");
  const Array one_hot =
      Array::from({0.f, 1.f, 0.f, 1.f, 0.f, 0.f, 1.f, 0.f, 0.f}, {3, 3});
  EXPECT_EQ(difference(categorical_accuracy(one_hot, kScores), {1, 0, 1}), "");
  EXPECT_EQ(difference(binary_accuracy(Array::from({1.f, 0.f, 1.f}),
                                       Array::from({0.6f, 0.6f, 0.4f})),
                       {1, 0, 0}),
            "");
  EXPECT_EQ(difference(binary_accuracy(Array::from({1.f, 0.f, 1.f}),
                                       Array::from({0.6f, 0.6f, 0.4f}), 0.3),
                       {1, 0, 1}),
            "");
}

TEST(AccuracyPlatformTest, TopKTakesAllOfEqualScores) {
  const Array labels = Array::from<int32_t>({2, 0, 2});
  EXPECT_EQ(
      difference(sparse_top_k_categorical_accuracy(labels, kScores, {.k = 2}),
                 {1, 1, 1}),
      "");
  EXPECT_EQ(
      difference(sparse_top_k_categorical_accuracy(labels, kScores, {.k = 1}),
                 {0, 0, 1}),
      "");
  const Array one_hot =
      Array::from({0.f, 0.f, 1.f, 1.f, 0.f, 0.f, 0.f, 0.f, 1.f}, {3, 3});
  EXPECT_EQ(
      difference(top_k_categorical_accuracy(one_hot, kScores, 1), {0, 0, 1}),
      "");
}

TEST(AccuracyPlatformTest, TopKIsFalseWhereNothingCanBeSaid) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Array scores =
      Array::from({1.f, 2.f, inf, 1.f, nan, 0.f, 1.f, 2.f, 3.f}, {3, 3});
  const Array labels = Array::from<int32_t>({1, 0, 7});
  EXPECT_EQ(
      difference(sparse_top_k_categorical_accuracy(labels, scores, {.k = 3}),
                 {0, 0, 0}),
      "");
}

TEST(AccuracyPlatformTest, SortedIdsOfKerassExample) {
  const SparseTopKCategoricalAccuracy metric({.k = 1, .from_sorted_ids = true});
  metric.update_state(Array::from<int32_t>({2, 1}),
                      Array::from<int32_t>({1, 0, 3, 1, 2, 3}, {2, 3}));
  EXPECT_FLOAT_EQ(metric.result().item<float>(), 0.5f);
}

TEST(AccuracyPlatformTest, SequencesKeepTheirAxes) {
  const Array labels = Array::from<int32_t>({0, 1, 1, 0}, {2, 2});
  const Array scores =
      Array::from({1.f, 0.f, 1.f, 0.f, 0.f, 1.f, 0.f, 1.f}, {2, 2, 2});
  EXPECT_EQ(difference(sparse_categorical_accuracy(labels, scores),
                       {1, 0, 1, 0}, {2, 2}),
            "");
  EXPECT_EQ(
      difference(sparse_top_k_categorical_accuracy(labels, scores, {.k = 1}),
                 {1, 0, 1, 0}, {2, 2}),
      "");
}

TEST(AccuracyPlatformTest, ShapesThatDoNotGoTogetherAreNamed) {
  try {
    sparse_categorical_accuracy(Array::from<int32_t>({1, 2}), kScores);
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(),
                 "sparse_categorical_accuracy: expected y_true of shape (...), "
                 "y_pred of shape (..., classes), got (2,) and (3, 3)\n"
                 "  y_true: int32[2]\n  y_pred: float32[3, 3]");
  }
  EXPECT_THROW(categorical_accuracy(Array::from<int32_t>({1, 2, 0}), kScores),
               ShapeError);
  EXPECT_THROW(Accuracy().update_state(Array::zeros({2}), Array::zeros({3})),
               ShapeError);
}

TEST(AccuracyPlatformTest, NamesAreKerass) {
  EXPECT_EQ(Accuracy().name(), "accuracy");
  EXPECT_EQ(SparseCategoricalAccuracy("acc").name(), "acc");
  EXPECT_EQ(BinaryAccuracy({.name = "b", .threshold = 0.1}).name(), "b");
  EXPECT_EQ(CategoricalAccuracy().name(), "categorical_accuracy");
  EXPECT_EQ(TopKCategoricalAccuracy().name(), "top_k_categorical_accuracy");
}

}  // namespace
}  // namespace systolic::metrics
