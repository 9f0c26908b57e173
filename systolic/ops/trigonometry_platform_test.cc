// Values are compared with NumPy's in special_platform_test.cc.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"
#include "systolic/ops/trigonometry.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::trigonometry_samples() {
  const Array inside = Array::from({0.25, -0.75, 0.5, -0.125}, {2, 2});
  const Array any = Array::from({1.25, -0.75, 0.5, -2.125}, {2, 2});
  const Array above = Array::from({1.25, 2.75, 1.5, 4.125}, {2, 2});
  struct Row {
    const char* op;
    Tensor (*f)(const Arg&);
    const Array& input;
  };
  const Row rows[] = {
      {"tan", tan, inside},  {"asin", asin, inside},  {"acos", acos, inside},
      {"atan", atan, any},   {"sinh", sinh, any},     {"cosh", cosh, any},
      {"asinh", asinh, any}, {"acosh", acosh, above}, {"atanh", atanh, inside}};
  std::vector<OpSample> samples;
  for (const Row& row : rows) {
    samples.push_back(
        {.op = row.op,
         .call = [f = row.f](const Tensors& in) { return Tensors{f(in[0])}; },
         .inputs = {row.input},
         .dtypes = contracts::kInexact,
         .error = 2});
    samples.push_back({.op = row.op,
                       .name = "of whole numbers",
                       .call = samples.back().call,
                       .inputs = {Array::from({0., 1.})},
                       .dtypes = {DType::int32, DType::uint8},
                       .gradient = false});
  }
  samples.push_back(
      {.op = "atan2",
       .call = [](const Tensors& in) { return Tensors{atan2(in[0], in[1])}; },
       .inputs = {any, Array::from({-1.5, 0.75})}});
  return samples;
}

namespace {

TEST(Trigonometry, BothNamesAreOneFunction) {
  internal::ops::Comparisons all;
  const Array half = Array::from({0.5f, -0.25f});
  const Tensor x = constant(half);
  all.add("arcsin", arcsin(x), asin(x).numpy(), {0, 0});
  all.add("arccos", arccos(x), acos(x).numpy(), {0, 0});
  all.add("arctan", arctan(x), atan(x).numpy(), {0, 0});
  all.add("arcsinh", arcsinh(x), asinh(x).numpy(), {0, 0});
  all.add("arccosh", arccosh(x + 2), acosh(x + 2).numpy(), {0, 0});
  all.add("arctanh", arctanh(x), atanh(x).numpy(), {0, 0});
  all.add("arctan2", arctan2(x, 1), atan2(x, 1).numpy(), {0, 0});
}

TEST(Trigonometry, OutsideTheDomainIsNaN) {
  const Tensor x = constant(Array::from({-2.f, 2.f}));
  for (const auto f : {asin, acos, atanh}) {
    const Array y = f(x).numpy();
    for (const float value : y.span<float>()) EXPECT_TRUE(std::isnan(value));
  }
  EXPECT_TRUE(std::isnan(acosh(constant(0.5f)).numpy().item<float>()));
}

TEST(Trigonometry, SincHasASlopeAtZero) {
  const Tensor x = constant(Array::from({0.}));
  GradientTape tape;
  tape.watch(x);
  EXPECT_EQ(tape.gradient(sum(sinc(x)), {x})[0].numpy().item<double>(), 0);
}

}  // namespace
}  // namespace systolic
