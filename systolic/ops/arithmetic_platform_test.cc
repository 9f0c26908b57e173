// More values are compared with NumPy's in special_platform_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/arithmetic.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::arithmetic_samples() {
  const Array x = Array::from({1.5, -2.25, 0.75, 3., -0.5, 2.}, {2, 3});
  const Array row = Array::from({0.875, 1.25, -1.75});
  const Array whole = Array::from({7., 4., 9., 1., 6., 12.}, {2, 3});
  const Array divisor = Array::from({2., 5., 3.});
  const auto two = [](Tensor (*f)(const Arg&, const Arg&)) {
    return [f](const Tensors& in) { return Tensors{f(in[0], in[1])}; };
  };
  return {{.op = "fmod", .call = two(fmod), .inputs = {x, row}},
          {.op = "fmod",
           .name = "whole numbers",
           .call = two(fmod),
           .inputs = {whole, divisor},
           .dtypes = contracts::kIntegers,
           .gradient = false},
          {.op = "truncatediv",
           .call = two(truncatediv),
           .inputs = {whole, divisor},
           .dtypes = contracts::floats_and_integers(),
           .gradient = false},
          {.op = "hypot", .call = two(hypot), .inputs = {x, row}},
          {.op = "logaddexp", .call = two(logaddexp), .inputs = {x, row}},
          {.op = "nextafter",
           .call = two(nextafter),
           .inputs = {x, row},
           .gradient = false},
          {.op = "cbrt",
           .call = [](const Tensors& in) { return Tensors{cbrt(in[0])}; },
           .inputs = {x}},
          {.op = "gcd",
           .call = two(gcd),
           .inputs = {whole, divisor},
           .dtypes = contracts::kIntegers,
           .gradient = false}};
}

namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Arithmetic, WholeNumbers) {
  const Tensor x = constant(Array::from({7, -7, 7, -7}));
  const Tensor y = constant(Array::from({3, 3, -3, -3}));
  Comparisons all;
  all.add("fmod", fmod(x, y), Array::from({1, -1, 1, -1}));
  all.add("truncatemod", truncatemod(x, y), Array::from({1, -1, 1, -1}));
  all.add("floormod", floormod(x, y), Array::from({1, 2, -2, -1}));
  all.add("remainder", remainder(x, y), Array::from({1, 2, -2, -1}));
  all.add("truncatediv", truncatediv(x, y), Array::from({2, -2, -2, 2}));
  all.add("true_divide", true_divide(x, 2),
          Array::from({3.5f, -3.5f, 3.5f, -3.5f}));
  all.add("pow", pow(x, 2), Array::from({49, 49, 49, 49}));
  all.add("absolute", absolute(x), Array::from({7, 7, 7, 7}));
  all.add("trunc", trunc(x), Array::from({7, -7, 7, -7}));
  const Tensor a = constant(Array::from({12, -18, 0, 7}));
  const Tensor b = constant(Array::from({18, 12, 0, 0}));
  all.add("gcd", gcd(a, b), Array::from({6, 6, 0, 7}));
  all.add("lcm", lcm(a, b), Array::from({36, 36, 0, 0}));
  all.add("signbit", signbit(x), Array::from({false, true, false, true}));
}

TEST(Arithmetic, WhereZeroWouldBeInTheWay) {
  const Tensor x = constant(Array::from({6.f, 0.f, kInf}));
  const Tensor y = constant(Array::from({2.f, 0.f, 0.f}));
  Comparisons all;
  all.add("divide_no_nan", divide_no_nan(x, y), Array::from({3.f, 0.f, 0.f}));
  all.add("multiply_no_nan", multiply_no_nan(x, y),
          Array::from({12.f, 0.f, 0.f}));
  all.add("xlogy", xlogy(y, y), Array::from({2 * std::log(2.f), 0.f, 0.f}));
  all.add("hypot", hypot(x, y), Array::from({std::sqrt(40.f), 0.f, kInf}));
  all.add("hypot of large", hypot(constant(3e30f), constant(4e30f)),
          Array::scalar(5e30f));
  all.add("logaddexp", logaddexp(constant(-kInf), constant(-kInf)),
          Array::scalar(-kInf));
}

// Their gradients there are numbers, too.
TEST(Arithmetic, GradientsAtZeroAreNumbers) {
  for (const auto f : {divide_no_nan, multiply_no_nan, xlogy, xlog1py, hypot}) {
    const Tensor x = constant(0.f), y = constant(0.f);
    GradientTape tape;
    tape.watch(x);
    tape.watch(y);
    const auto grads = tape.gradient(sum(f(x, y)), {x, y});
    for (const Tensor& g : grads) {
      EXPECT_TRUE(reduce_all(isfinite(g)).numpy().item<bool>()) << g;
    }
  }
}

TEST(Arithmetic, SignsAndKindsOfNumbers) {
  const Array values = Array::from({-kInf, -1.5f, -0.f, 0.f, 2.f, kInf, NAN});
  const Tensor x = constant(values);
  Comparisons all;
  all.add("isnan", isnan(x),
          Array::from({false, false, false, false, false, false, true}));
  all.add("isinf", isinf(x),
          Array::from({true, false, false, false, false, true, false}));
  all.add("isposinf", isposinf(x),
          Array::from({false, false, false, false, false, true, false}));
  all.add("isneginf", isneginf(x),
          Array::from({true, false, false, false, false, false, false}));
  all.add("signbit", signbit(x),
          Array::from({true, true, true, false, false, false, false}));
  all.add("nan_to_num", nan_to_num(x, {.posinf = 9.}),
          Array::from({std::numeric_limits<float>::lowest(), -1.5f, 0.f, 0.f,
                       2.f, 9.f, 0.f}));
  all.add("isnan of integers", isnan(constant(Array::from({1, 2}))),
          Array::from({false, false}));
  const Tensor few = constant(Array::from({-2.f, 0.f, 3.f}));
  all.add("heaviside", heaviside(few, 0.5f), Array::from({0.f, 0.5f, 1.f}));
  all.add("copysign", copysign(few, -1.f), Array::from({-2.f, -0.f, -3.f}));
}

TEST(Arithmetic, NeighboursAndScales) {
  const float above = std::nextafter(1.f, 2.f);
  Comparisons all;
  all.add("nextafter", nextafter(constant(1.f), constant(2.f)),
          Array::scalar(above), {0, 0});
  all.add("ldexp",
          ldexp(constant(Array::from({0.75f, 3.f, 1.f, 1.f})),
                constant(Array::from({4, -1, 127, -126}))),
          Array::from({12.f, 1.5f, 0x1p127f, 0x1p-126f}), {0, 0});
  all.add("exp2", exp2(constant(Array::from({0.f, 3.f, -2.f}))),
          Array::from({1.f, 8.f, 0.25f}));
  all.add("log2", log2(constant(Array::from({1.f, 8.f}))),
          Array::from({0.f, 3.f}));
  EXPECT_NE(
      message_of<TypeError>([] { (void)ldexp(constant(1.f), constant(2.f)); }),
      "");
}

TEST(Arithmetic, CloseWithinTolerances) {
  const Tensor x = constant(Array::from({1.f, 1.f, kInf, NAN}));
  const Tensor y = constant(Array::from({1.000001f, 1.1f, kInf, NAN}));
  Comparisons all;
  all.add("isclose", isclose(x, y), Array::from({true, false, true, false}));
  all.add("with NaN", isclose(x, y, {.rtol = 0.2, .equal_nan = true}),
          Array::from({true, true, true, true}));
}

TEST(Arithmetic, SelectTakesTheFirstThatHolds) {
  const Tensor x = constant(Array::from({0, 1, 2, 3, 4, 5}));
  internal::ops::Comparisons all;
  all.add("select", select({x<3, x> 1}, {x, square(x)}, 42),
          Array::from({0, 1, 2, 9, 16, 25}));
  all.add("default", select({x<1, x> 4}, {x, -x}, 42),
          Array::from({0, 42, 42, 42, 42, -5}));
  EXPECT_EQ(
      message_of<ValueError>([&] { (void)select({x < 3}, {}); }).substr(0, 6),
      "select");
}

}  // namespace
}  // namespace systolic
