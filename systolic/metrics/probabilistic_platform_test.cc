#include <gtest/gtest.h>

#include <cmath>

#include "systolic/metrics/probabilistic.h"

namespace systolic::metrics {
namespace {

// Rows of one probability each, so that the cross entropies are log 2, log 4.
const Array kProbabilities =
    Array::from({0.5f, 0.25f, 0.25f, 0.25f, 0.25f, 0.5f}, {2, 3});
const float kLog2 = std::log(2.f);

TEST(ProbabilisticPlatformTest, TheyAreMeansOfTheLosses) {
  const SparseCategoricalCrossentropy sparse;
  sparse.update_state(Array::from<int32_t>({0, 1}), kProbabilities);
  EXPECT_NEAR(sparse.result().item<float>(), 1.5f * kLog2, 1e-5);
  const CategoricalCrossentropy categorical({.name = "ce"});
  categorical.update_state(Array::from({1.f, 0.f, 0.f, 0.f, 1.f, 0.f}, {2, 3}),
                           kProbabilities);
  EXPECT_NEAR(categorical.result().item<float>(), 1.5f * kLog2, 1e-5);
  EXPECT_EQ(categorical.name(), "ce");
  const BinaryCrossentropy binary({.from_logits = true});
  binary.update_state(Array::from({1.f, 0.f}, {2, 1}), Array::zeros({2, 1}));
  EXPECT_NEAR(binary.result().item<float>(), kLog2, 1e-5);
}

TEST(ProbabilisticPlatformTest, AnIgnoredClassCountsAsInKeras) {
  const SparseCategoricalCrossentropy metric({.ignore_class = 1});
  const Array labels = Array::from<int32_t>({0, 1});
  metric.update_state(labels, kProbabilities);
  EXPECT_NEAR(metric.result().item<float>(), 0.5f * kLog2, 1e-5);
  metric.reset_state();
  metric.update_state(labels, kProbabilities, Array::ones({2}));
  EXPECT_NEAR(metric.result().item<float>(), kLog2, 1e-5);
}

}  // namespace
}  // namespace systolic::metrics
