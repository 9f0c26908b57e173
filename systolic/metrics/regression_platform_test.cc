#include <gtest/gtest.h>

#include <cmath>

#include "systolic/metrics/regression.h"

namespace systolic::metrics {
namespace {

const Array kTrue = Array::from({0.f, 1.f, 0.f, 0.f}, {2, 2});
const Array kPred = Array::from({1.f, 1.f, 0.f, 0.f}, {2, 2});

template <class M>
float updated(const M& metric) {
  metric.update_state(kTrue, kPred);
  return metric.result().template item<float>();
}

TEST(RegressionPlatformTest, KerassExamples) {
  EXPECT_FLOAT_EQ(updated(MeanSquaredError()), 0.25f);
  EXPECT_FLOAT_EQ(updated(MeanAbsoluteError("mae")), 0.25f);
  EXPECT_FLOAT_EQ(updated(RootMeanSquaredError()), 0.5f);
}

TEST(RegressionPlatformTest, TheRootIsOfTheMeanOverAllBatches) {
  const RootMeanSquaredError metric({.name = "rmse"});
  metric.update_state(Array::from({0.f}), Array::from({3.f}));
  metric.update_state(Array::from({0.f}), Array::from({4.f}));
  EXPECT_FLOAT_EQ(metric.result().item<float>(), std::sqrt(12.5f));
  EXPECT_EQ(metric.name(), "rmse");
}

}  // namespace
}  // namespace systolic::metrics
