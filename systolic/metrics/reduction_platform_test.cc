#include <gtest/gtest.h>

#include "systolic/base/auto_name.h"
#include "systolic/base/error.h"
#include "systolic/metrics/reduction.h"
#include "systolic/ops/math.h"

namespace systolic::metrics {
namespace {

const Array kValues = Array::from({1.f, 3.f, 5.f, 7.f});

TEST(ReductionPlatformTest, MeanAndSumOfKerassExamples) {
  const Mean mean;
  mean.update_state(kValues);
  EXPECT_FLOAT_EQ(mean.result().item<float>(), 4.f);
  mean.reset_state();
  mean.update_state(kValues, Array::from({1.f, 1.f, 0.f, 0.f}));
  EXPECT_FLOAT_EQ(mean.result().item<float>(), 2.f);
  const Sum sum;
  sum.update_state(kValues);
  EXPECT_FLOAT_EQ(sum.result().item<float>(), 16.f);
  sum.reset_state();
  sum.update_state(kValues, Array::from({1.f, 1.f, 0.f, 0.f}));
  EXPECT_FLOAT_EQ(sum.result().item<float>(), 4.f);
}

TEST(ReductionPlatformTest, NamesAndTypesAreOptions) {
  EXPECT_EQ(Mean().name(), "mean");
  EXPECT_EQ(Sum("s").name(), "s");
  const Mean wide({.name = "wide", .dtype = DType::float64});
  wide.update_state(kValues);
  EXPECT_EQ(wide.result().dtype(), DType::float64);
}

TEST(ReductionPlatformTest, ScalarsMayBeWeighted) {
  const Mean mean;
  mean.update_state(2.f, 3);
  mean.update_state(10.f, 1);
  EXPECT_FLOAT_EQ(mean.result().item<float>(), 4.f);
}

TEST(ReductionPlatformTest, FunctionsAreAveraged) {
  clear_session();
  const MeanMetricWrapper metric(
      [](const Tensor& y_true, const Tensor& y_pred) {
        return square(y_true - y_pred);
      });
  EXPECT_EQ(metric.name(), "mean_metric_wrapper");
  const auto first = [](const Tensor& y_true, const Tensor&) { return y_true; };
  EXPECT_EQ(MeanMetricWrapper(first, {.name = "x"}).name(), "x");
  metric.update_state(kValues, Array::zeros({4}));
  EXPECT_FLOAT_EQ(metric.result().item<float>(), 21.f);
}

TEST(ReductionPlatformTest, AWeightThatDoesNotFitIsNamed) {
  try {
    Mean("loss").update_state(kValues, Array::from({1.f, 2.f, 3.f}));
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_EQ(std::string(error.what())
                  .find("Mean \"loss\": expected sample_weight of a shape that "
                        "broadcasts to (4,), got (3,)"),
              0u)
        << error.what();
  }
}

}  // namespace
}  // namespace systolic::metrics
