#include <gtest/gtest.h>

#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::unary_samples() {
  using Unary = Tensor (*)(const Arg&);
  struct Row {
    const char* op;
    Unary f;
    bool positive;
    // Whether whole numbers stay whole numbers.
    bool any_dtype;
    // Whether complex numbers have none.
    bool is_real = false;
  };
  const Row rows[] = {
      {"abs", abs, false, true},          {"sign", sign, false, true},
      {"sqrt", sqrt, true, false},        {"rsqrt", rsqrt, true, false},
      {"exp", exp, false, false},         {"expm1", expm1, false, false},
      {"log", log, true, false},          {"log1p", log1p, true, false},
      {"sin", sin, false, false},         {"cos", cos, false, false},
      {"tanh", tanh, false, false},       {"sigmoid", sigmoid, false, false},
      {"erf", erf, false, false, true},   {"floor", floor, false, false, true},
      {"ceil", ceil, false, false, true}, {"round", round, false, true, true},
      {"isfinite", isfinite, true, true}};
  const Array signs =
      Array::from({0.25, -1.75, 2.25, -0.375, 1.125, -3.25}, {2, 3});
  const Array positive = Array::from({0.25, 1.75, 2.5, 0.375, 1., 3.}, {3, 2});
  std::vector<OpSample> samples;
  for (const Row& row : rows) {
    samples.push_back(
        {.op = row.op,
         .call = [f = row.f](const Tensors& in) { return Tensors{f(in[0])}; },
         .inputs = {row.positive ? positive : signs},
         .dtypes = row.is_real ? contracts::kFloats : contracts::kInexact,
         .gradient = row.f != static_cast<Unary>(isfinite)});
    // The others are converted first.
    const auto integers = row.any_dtype
                              ? contracts::kIntegers
                              : std::vector{DType::int32, DType::uint8};
    samples.push_back({.op = row.op,
                       .name = "of whole numbers",
                       .call = samples.back().call,
                       .inputs = {Array::from({1., 4., 0., 9.})},
                       .dtypes = integers,
                       .gradient = false});
  }
  samples.push_back(
      {.op = "erfinv",
       .call = [](const Tensors& in) { return Tensors{erfinv(in[0])}; },
       .inputs = {Array::from({0.25, -0.75, 0.5, -0.125, 0.9375})}});
  return samples;
}

namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;

TEST(Unary, OpsAreThoseOfArrays) {
  const Array real = Array::from({0.5f, -1.75f, 2.5f, 0.f, 1.f, -3.5f}, {2, 3});
  const Array inputs[] = {real,
                          cast(real, DType::float64),
                          cast(real, DType::bfloat16),
                          cast(real, DType::float16),
                          Array::from({3, -2, 0, 1}),
                          Array::from(std::vector<uint8_t>{0, 1, 4}),
                          Array::from({true, false})};
  Comparisons all;
  const auto compare = [&](const char* name, auto f, bool of_bool = true) {
    for (const Array& x : inputs) {
      if (x.dtype() == DType::boolean && !of_bool) continue;
      all.add(std::string(name) + " of " + x.spec().to_string(), f(constant(x)),
              f(x));
    }
  };
  compare("abs", [](const auto& x) { return abs(x); });
  compare("sign", [](const auto& x) { return sign(x); });
  compare("square", [](const auto& x) { return square(x); });
  compare("exp", [](const auto& x) { return exp(x); });
  compare("expm1", [](const auto& x) { return expm1(x); });
  compare("sin", [](const auto& x) { return sin(x); });
  compare("cos", [](const auto& x) { return cos(x); });
  compare("tanh", [](const auto& x) { return tanh(x); });
  compare("sigmoid", [](const auto& x) { return sigmoid(x); });
  compare("round", [](const auto& x) { return round(x); });
  compare("floor", [](const auto& x) { return floor(x); });
  compare("ceil", [](const auto& x) { return ceil(x); });
  compare("sqrt", [](const auto& x) { return sqrt(abs(x)); });
  compare("rsqrt", [](const auto& x) { return rsqrt(abs(x) + 1); });
  compare("log", [](const auto& x) { return log(abs(x) + 1); });
  compare("log1p", [](const auto& x) { return log1p(abs(x)); });
  compare("logical_not", [](const auto& x) { return logical_not(x); });
  compare(
      "negative", [](const auto& x) { return -x; }, false);
}

TEST(Unary, HalvesRoundToEven) {
  Comparisons all;
  all.add("round", round(constant(Array::from({0.5f, 1.5f, 2.5f, -0.5f}))),
          Array::from({0.f, 2.f, 2.f, -0.f}));
  all.add("reciprocal", reciprocal(constant(Array::from({4, 2}))),
          Array::from({0.25f, 0.5f}));
  all.add("isfinite",
          isfinite(constant(Array::from({1.f, NAN, INFINITY, -INFINITY}))),
          Array::from({true, false, false, false}));
}

// Values of a function of one double at many points.
Array table(const Array& x, double (*f)(double)) {
  Array result = Array::uninitialized({DType::float64, x.shape()});
  const auto from = x.span<double>();
  const auto to = result.mutable_span<double>();
  for (size_t i = 0; i < from.size(); ++i) to[i] = f(from[i]);
  return result;
}

Array line(double first, double last, int count) {
  Array x = Array::uninitialized({DType::float64, Shape{count}});
  const auto values = x.mutable_span<double>();
  for (int i = 0; i < count; ++i) {
    values[static_cast<size_t>(i)] = first + (last - first) * i / (count - 1);
  }
  return x;
}

TEST(Unary, ErfIsExactToTheDtype) {
  const Array x = line(-6, 6, 1201);
  const Array wanted = table(x, [](double v) { return std::erf(v); });
  Comparisons all;
  all.add("float64", erf(constant(x)), wanted, {2e-15, 1e-300});
  all.add("float32", erf(constant(cast<float>(x))), cast<float>(wanted),
          {5e-7, 1e-30});
  all.add("bfloat16", erf(constant(cast(x, DType::bfloat16))),
          cast(wanted, DType::bfloat16), {8e-3, 1e-2});
}

// The inverse of erf, compared through erf, whose slope is known.
TEST(Unary, ErfinvIsTheInverse) {
  const Array y = line(-3.5, 3.5, 701);
  const Array x = table(y, [](double v) { return std::erf(v); });
  const Array found = erfinv(constant(x)).numpy();
  const Array back = table(found, [](double v) { return std::erf(v); });
  EXPECT_LT(max(abs(back - x)).item<double>(), 4e-16);
  const Array single = erfinv(constant(cast<float>(x))).numpy();
  const auto from = cast<float>(x);
  for (int64_t i = 0; i < single.size(); ++i) {
    const double got = single[i].item<double>();
    if (!std::isfinite(got)) continue;
    // Half a unit of the argument, brought through the slope.
    const double slope = 2 / std::sqrt(M_PI) * std::exp(-got * got);
    EXPECT_NEAR(std::erf(got), from[i].item<double>(),
                4e-7 * slope * std::abs(got) + 1.2e-7)
        << got;
  }
}

TEST(Unary, ErfinvAtItsEnds) {
  const Tensor x = constant(Array::from({-1.f, 0.f, 1.f, 1.5f}));
  const Array y = erfinv(x).numpy();
  EXPECT_EQ(y.slice({Slice(3)}).to_string(), "[-inf   0.  inf]");
  EXPECT_TRUE(std::isnan(y[3].item<float>()));
  const Tensor wide = constant(Array::from({-1., 0., 1.}));
  EXPECT_EQ(erfinv(wide).numpy().to_string(), "[-inf   0.  inf]");
}

TEST(Unary, StringsStayOnTheHost) {
  EXPECT_NE(message_of<TypeError>(
                [] { exp(constant(Array::from_strings({"a"}, {1}))); }),
            "");
}

}  // namespace
}  // namespace systolic
