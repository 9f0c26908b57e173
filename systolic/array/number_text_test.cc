#include "systolic/array/number_text.h"

#include <gtest/gtest.h>

namespace systolic::internal {
namespace {

TEST(FloatTextTest, PositionalIsShortestAndCut) {
  EXPECT_EQ(FloatText(0.1f, DType::float32).positional(8), "0.1");
  EXPECT_EQ(FloatText(0.1f, DType::float64).positional(8), "0.1");
  EXPECT_EQ(FloatText(3, DType::float32).positional(8), "3.");
  EXPECT_EQ(FloatText(-1234.5, DType::float64).positional(8), "-1234.5");
  EXPECT_EQ(FloatText(1.0 / 3, DType::float64).positional(3), "0.333");
  EXPECT_EQ(FloatText(0, DType::float32).positional(8), "0.");
  EXPECT_EQ(FloatText(-0.0, DType::float32).positional(8), "-0.");
  EXPECT_EQ(FloatText(1e-9, DType::float64).positional(8), "0.");
  EXPECT_EQ(FloatText(123456789.0, DType::float64).positional(8), "123456789.");
  EXPECT_EQ(FloatText(0.00123, DType::float64).positional(8), "0.00123");
}

TEST(FloatTextTest, Scientific) {
  EXPECT_EQ(FloatText(1e-7f, DType::float32).scientific(8), "1.e-07");
  EXPECT_EQ(FloatText(-1.25e100, DType::float64).scientific(8), "-1.25e+100");
  EXPECT_EQ(FloatText(1.0 / 3, DType::float64).scientific(2), "3.33e-01");
  EXPECT_EQ(FloatText(35.330719f, DType::float32).scientific_padded(7),
            "3.5330719e+01");
  EXPECT_EQ(FloatText(2, DType::float32).scientific_padded(0), "2.e+00");
}

TEST(FloatTextTest, Alone) {
  EXPECT_EQ(FloatText(3, DType::float32).alone(), "3.0");
  EXPECT_EQ(FloatText(0.1f, DType::float32).alone(), "0.1");
  EXPECT_EQ(FloatText(1e6, DType::float32).alone(), "1e+06");
  EXPECT_EQ(FloatText(1e6, DType::float64).alone(), "1000000.0");
  EXPECT_EQ(FloatText(-1.5e-5, DType::float64).alone(), "-1.5e-05");
}

TEST(FloatTextTest, HalvesHaveTheirOwnDigits) {
  EXPECT_EQ(FloatText(float16(0.1f), DType::float16).alone(), "0.1");
  EXPECT_EQ(FloatText(float16(1.f / 3), DType::float16).alone(), "0.3333");
  EXPECT_EQ(FloatText(-0.015625, DType::float16).positional(8), "-0.01563");
  EXPECT_EQ(FloatText(65504, DType::float16).positional(8), "65500.");
}

}  // namespace
}  // namespace systolic::internal
