#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/losses/regression.h"
#include "systolic/testing/golden.h"

namespace systolic::losses {
namespace {

const Array kTrue = Array::from({1.f, 2.f, 3.f, 4.f}, {2, 2});
const Array kPred = Array::from({1.f, 4.f, 0.f, 4.f}, {2, 2});

TEST(RegressionPlatformTest, FunctionsGiveAValuePerExample) {
  EXPECT_EQ(golden::difference(mean_squared_error(kTrue, kPred).numpy(),
                               Array::from({2.f, 4.5f})),
            "");
  EXPECT_EQ(golden::difference(mean_absolute_error(kTrue, kPred).numpy(),
                               Array::from({1.f, 1.5f})),
            "");
}

TEST(RegressionPlatformTest, PredictionsDecideTheDtype) {
  const Array labels = Array::from<int32_t>({1, 2, 3, 4}, {2, 2});
  const Tensor error = mean_squared_error(labels, kPred);
  EXPECT_EQ(error.dtype(), DType::float32);
  EXPECT_EQ(golden::difference(error.numpy(), Array::from({2.f, 4.5f})), "");
}

TEST(RegressionPlatformTest, ScalarsHaveNoAxisToAverage) {
  try {
    mean_squared_error(1.f, Array::scalar(2.f));
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(),
                 "mean_squared_error: expected values with a last axis to take "
                 "the mean over, got scalars\n"
                 "  y_true: float32[]\n  y_pred: float32[]");
  }
}

TEST(RegressionPlatformTest, ClassesAreNamedAsInKeras) {
  EXPECT_EQ(MeanSquaredError().name(), "mean_squared_error");
  EXPECT_EQ(MeanAbsoluteError({.name = "mae"}).name(), "mae");
}

}  // namespace
}  // namespace systolic::losses
