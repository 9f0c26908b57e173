#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/cumulative.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::cumulative_samples() {
  const Array x = Array::from({1.5, -2.25, 0.75, 3., -0.5, 2.}, {2, 3});
  std::vector<OpSample> samples;
  for (const bool exclusive : {false, true}) {
    for (const bool reverse : {false, true}) {
      samples.push_back({.op = "cumsum",
                         .name = std::string(exclusive ? "exclusive" : "") +
                                 (reverse ? " reverse" : ""),
                         .call =
                             [=](const Tensors& in) {
                               return Tensors{
                                   cumsum(in[0], {1, exclusive, reverse}),
                                   cumsum(in[0], {{}, exclusive, reverse})};
                             },
                         .inputs = {x},
                         .dtypes = contracts::numbers()});
    }
  }
  // Made of other ops, whose gradients these are.
  for (const auto f : {cumprod, cummax, cummin, logcumsumexp}) {
    samples.push_back(
        {.op = "",
         .name = f == cumprod  ? "cumprod"
                 : f == cummax ? "cummax"
                 : f == cummin ? "cummin"
                               : "logcumsumexp",
         .call =
             [f](const Tensors& in) {
               return Tensors{f(in[0], {.axis = 1}),
                              f(in[0], {.axis = 0, .reverse = true})};
             },
         .inputs = {x},
         .dtypes = f == cumprod ? contracts::kInexact : contracts::kFloats,
         .error = 2});
  }
  return samples;
}

namespace {

using internal::ops::Comparisons;

TEST(Cumulative, ValuesAreTensorFlows) {
  const Tensor x = constant(Array::from({3, 1, 4, 1, 5}));
  Comparisons all;
  all.add("cumsum", cumsum(x), Array::from({3, 4, 8, 9, 14}));
  all.add("exclusive", cumsum(x, {.axis = 0, .exclusive = true}),
          Array::from({0, 3, 4, 8, 9}));
  all.add("reverse", cumsum(x, {.axis = 0, .reverse = true}),
          Array::from({14, 11, 10, 6, 5}));
  all.add("both", cumsum(x, {.axis = 0, .exclusive = true, .reverse = true}),
          Array::from({11, 10, 6, 5, 0}));
  all.add("cumprod", cumprod(x), Array::from({3, 3, 12, 12, 60}));
  all.add("cumprod exclusive", cumprod(x, {.axis = 0, .exclusive = true}),
          Array::from({1, 3, 3, 12, 12}));
  all.add("cummax", cummax(x), Array::from({3, 3, 4, 4, 5}));
  all.add("cummin reverse", cummin(x, {.axis = 0, .reverse = true}),
          Array::from({1, 1, 1, 1, 5}));
  all.add("cummax exclusive", cummax(x, {.axis = 0, .exclusive = true}),
          Array::from({std::numeric_limits<int32_t>::min(), 3, 3, 4, 4}));
  all.add("cummin of bytes",
          cummin(constant(Array::from(std::vector<uint8_t>{7, 3, 9})),
                 {.axis = 0, .exclusive = true}),
          Array::from(std::vector<uint8_t>{255, 7, 3}));
  all.add("of bools", cumsum(constant(Array::from({true, true, false}))),
          Array::from({1, 2, 2}));
  const Tensor logs = log(cast<float>(x));
  all.add("logcumsumexp", logcumsumexp(logs),
          log(Array::from({3.f, 4.f, 8.f, 9.f, 14.f})));
  all.add("exclusive", cumulative_logsumexp(logs, {0, true, false}),
          log(Array::from({0.f, 3.f, 4.f, 8.f, 9.f})));
  all.add("large", logcumsumexp(constant({1000.0, 1000.0})),
          Array::from({1000.f, 1000.6931472f}));
}

TEST(Cumulative, AxesAndEmptyInputs) {
  const Tensor x = constant(Array::from({1, 2, 3, 4, 5, 6}, {2, 3}));
  Comparisons all;
  all.add("columns", cumsum(x, {.axis = 0}),
          Array::from({1, 2, 3, 5, 7, 9}, {2, 3}));
  all.add("rows", cumsum(x, {.axis = -1}),
          Array::from({1, 3, 6, 4, 9, 15}, {2, 3}));
  all.add("flat", cumsum(x), Array::from({1, 3, 6, 10, 15, 21}));
  EXPECT_EQ(cumsum(zeros({0, 2}), {.axis = 0}).numpy().shape(), (Shape{0, 2}));
  EXPECT_THROW((void)cumsum(x, {.axis = 2}), OutOfRangeError);
}

TEST(Cumulative, ProductsOfZerosHaveGradients) {
  const Tensor x = constant(Array::from({2., 0., 3., 0.}));
  GradientTape tape;
  tape.watch(x);
  const Tensor g = tape.gradient(sum(cumprod(x)), {x})[0];
  // 1 + b + bc + bcd, a + ac + acd, ab + abd, abc.
  EXPECT_EQ(golden::difference(g.numpy(), Array::from({1., 8., 0., 0.})), "");
}

TEST(Cumulative, DifferencesOfNeighbours) {
  const Tensor x = constant(Array::from({1, 4, 9, 16}));
  Comparisons all;
  all.add("once", diff(x), Array::from({3, 5, 7}));
  all.add("twice", diff(x, {.n = 2}), Array::from({2, 2}));
  all.add("columns",
          diff(constant(Array::from({1, 2, 5, 9}, {2, 2})), {.axis = 0}),
          Array::from({4, 7}, {1, 2}));
  EXPECT_THROW((void)diff(x, {.n = -1}), ValueError);
}

}  // namespace
}  // namespace systolic
