#include "systolic/array/unary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "systolic/array/reductions.h"
#include "systolic/base/error.h"

namespace systolic {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void expect_close(const Array& x, const Array& expected) {
  EXPECT_EQ(x.spec(), expected.spec());
  EXPECT_TRUE(allclose(x, expected, {.rtol = 1e-6}))
      << x << " is not " << expected;
}

TEST(UnaryTest, FloatFunctions) {
  Array x = Array::from({0.25f, 1.f, 2.f});
  auto expect_map = [&](Array (*f)(const Array&), double (*twin)(double)) {
    std::vector<float> expected;
    for (float v : x.span<float>()) {
      expected.push_back(static_cast<float>(twin(v)));
    }
    expect_close(f(x), Array::from(expected));
  };
  expect_map(exp, std::exp);
  expect_map(expm1, std::expm1);
  expect_map(log, std::log);
  expect_map(log1p, std::log1p);
  expect_map(sqrt, std::sqrt);
  expect_map(sin, std::sin);
  expect_map(cos, std::cos);
  expect_map(tanh, std::tanh);
  expect_map(rsqrt, [](double v) { return 1 / std::sqrt(v); });
  expect_map(sigmoid, [](double v) { return 1 / (1 + std::exp(-v)); });
}

TEST(UnaryTest, IntegersBecomeFloat32WhereTheResultIsReal) {
  Array x = Array::from({1, 4});
  EXPECT_EQ(sqrt(x).to_string(), "[1. 2.]");
  EXPECT_EQ(sqrt(x).dtype(), DType::float32);
  EXPECT_EQ(floor(x).dtype(), DType::float32);
  EXPECT_EQ(exp(cast<double>(x)).dtype(), DType::float64);
  EXPECT_EQ(exp(cast<bfloat16>(x)).dtype(), DType::bfloat16);
  EXPECT_EQ(exp(Array::from({true})).dtype(), DType::float32);
}

TEST(UnaryTest, RoundingIsToEven) {
  Array x = Array::from({-1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 2.6f});
  EXPECT_EQ(round(x).to_string(), "[-2. -0.  0.  2.  2.  3.]");
  EXPECT_EQ(floor(x).to_string(), "[-2. -1.  0.  1.  2.  2.]");
  EXPECT_EQ(ceil(x).to_string(), "[-1. -0.  1.  2.  3.  3.]");
  EXPECT_EQ(round(Array::from({3})).dtype(), DType::int32);
}

TEST(UnaryTest, KeepTheDtype) {
  Array x = Array::from({int8_t{-128}, int8_t{-3}, int8_t{0}, int8_t{5}});
  EXPECT_EQ(abs(x).to_string(), "[-128    3    0    5]");
  EXPECT_EQ(negative(x).to_string(), "[-128    3    0   -5]");
  EXPECT_EQ((-x).to_string(), "[-128    3    0   -5]");
  EXPECT_EQ(sign(x).to_string(), "[-1 -1  0  1]");
  EXPECT_EQ(square(x).to_string(), "[ 0  9  0 25]");
  EXPECT_EQ(relu(x).to_string(), "[0 0 0 5]");
  EXPECT_EQ(relu(x).dtype(), DType::int8);
  EXPECT_EQ(negative(Array::from({uint8_t{1}})).to_string(), "[255]");
  EXPECT_EQ(abs(Array::from({float16(-2.f)})).dtype(), DType::float16);
}

TEST(UnaryTest, NanStaysAndSigmoidDoesNotOverflow) {
  Array x = Array::from({kNan, -1000.f, 1000.f});
  EXPECT_EQ(relu(x).to_string(), "[  nan    0. 1000.]");
  EXPECT_EQ(sign(x).to_string(), "[nan -1.  1.]");
  EXPECT_EQ(sigmoid(x).to_string(), "[nan  0.  1.]");
}

TEST(UnaryTest, LogicalNot) {
  EXPECT_EQ(logical_not(Array::from({0.f, 2.f})).to_string(), "[ True False]");
  EXPECT_EQ(logical_not(Array::from({true, false})).to_string(),
            "[False  True]");
}

TEST(UnaryTest, Errors) {
  try {
    negative(Array::from({true}));
    FAIL() << "nothing was thrown";
  } catch (const TypeError& e) {
    EXPECT_STREQ(e.what(),
                 "negative: expected numbers, got bool[1]\n"
                 "  hint: use logical_not to turn bools over");
  }
  try {
    exp(Array::from_strings({"a"}));
    FAIL() << "nothing was thrown";
  } catch (const TypeError& e) {
    EXPECT_STREQ(e.what(),
                 "exp: expected numbers, got string[1]\n"
                 "  hint: convert the text to numbers first");
  }
  EXPECT_THROW(exp(Array()), ValueError);
}

}  // namespace
}  // namespace systolic
