#include <gtest/gtest.h>

#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::reductions_samples() {
  // Over one axis, several, all; no two elements are alike.
  const auto every = [](auto f) {
    return [f](const Tensors& in) {
      return Tensors{f(in[0], ReduceOptions{}),
                     f(in[0], ReduceOptions{.axis = 0}),
                     f(in[0], ReduceOptions{.axis = {0, -1}}),
                     f(in[0], ReduceOptions{.axis = 1, .keepdims = true})};
    };
  };
  const Array x =
      Array::from({1.5, -2.25, 0.75, 3., -0.5, 2., 0.25, 1.25}, {2, 2, 2});
  const Array one_zero = Array::from({1.5, 0., 0.75, 3.}, {2, 2});
  const Array truth = Array::from({true, false, true, true}, {2, 2});
  return {{.op = "sum",
           .call = every([](auto&&... a) { return sum(a...); }),
           .inputs = {x},
           .dtypes = contracts::any_dtype(),
           .error = 2},
          {.op = "prod",
           .call = every([](auto&&... a) { return prod(a...); }),
           .inputs = {x},
           .dtypes = contracts::any_dtype(),
           .error = 2},
          {.op = "prod",
           .name = "with a zero",
           .call =
               [](const Tensors& in) {
                 return Tensors{prod(in[0]), prod(in[0], {.axis = 1})};
               },
           .inputs = {one_zero},
           // The rule for zeros is right only for the first gradient.
           .second_gradient = false},
          {.op = "max",
           .call = every([](auto&&... a) { return max(a...); }),
           .inputs = {x},
           .dtypes = contracts::any_real()},
          {.op = "min",
           .call = every([](auto&&... a) { return min(a...); }),
           .inputs = {x},
           .dtypes = contracts::any_real()},
          {.op = "any",
           .call =
               [](const Tensors& in) {
                 return Tensors{any(in[0]), any(in[0], {.axis = 0})};
               },
           .inputs = {truth}},
          {.op = "all",
           .call =
               [](const Tensors& in) {
                 return Tensors{all(in[0]), reduce_all(in[0], {.axis = 1})};
               },
           .inputs = {truth}},
          {.op = "argmax",
           .call =
               [](const Tensors& in) {
                 return Tensors{argmax(in[0]), argmin(in[0]),
                                argmax(in[0], {.axis = -1}),
                                argmin(in[0], {.axis = 0, .keepdims = true})};
               },
           .inputs = {x},
           .dtypes = contracts::any_real(),
           .gradient = false}};
}

namespace {

using internal::ops::begins;
using internal::ops::Comparisons;
using internal::ops::message_of;

const Array kReal =
    Array::from({1.5f, -2.25f, 0.f, 3.f, -0.5f, 2.f}, {1, 2, 3});

TEST(Reductions, OpsAreThoseOfArrays) {
  const Array inputs[] = {
      kReal,
      cast(kReal, DType::float64),
      cast(kReal, DType::bfloat16),
      Array::from({7, -7, 2, 0, 5, -1}, {1, 2, 3}),
      Array::from(std::vector<uint8_t>{1, 0, 200, 99, 5, 6}, {1, 2, 3}),
      Array::from(std::vector<int8_t>{1, -4, 100, 99, 5, 6}, {1, 2, 3}),
      Array::from({true, false, true, true, true, true}, {1, 2, 3})};
  const ReduceOptions every[] = {{},
                                 {.axis = 1},
                                 {.axis = -1, .keepdims = true},
                                 {.axis = {0, 2}},
                                 {.axis = {-1, 1}, .keepdims = true},
                                 {.keepdims = true}};
  Comparisons list;
  const auto compare = [&](const char* name, auto f) {
    for (const Array& x : inputs) {
      int form = 0;
      for (const ReduceOptions& options : every) {
        list.add(std::string(name) + " of " + x.spec().to_string() + ", form " +
                     std::to_string(form++),
                 f(constant(x), options), f(x, options));
      }
    }
  };
  const auto same = [](const auto& x, const auto& o) { return sum(x, o); };
  compare("sum", same);
  compare("prod", [](const auto& x, const auto& o) { return prod(x, o); });
  compare("mean", [](const auto& x, const auto& o) { return mean(x, o); });
  compare("max", [](const auto& x, const auto& o) { return max(x, o); });
  compare("min", [](const auto& x, const auto& o) { return min(x, o); });
  compare("any", [](const auto& x, const auto& o) { return any(x, o); });
  compare("all", [](const auto& x, const auto& o) { return all(x, o); });
}

TEST(Reductions, PositionsAreThoseOfArrays) {
  const Array ties = Array::from({3.f, 5.f, 5.f, 1.f, 1.f, 5.f}, {2, 3});
  const Array lost = Array::from({3.f, NAN, 5.f, NAN}, {2, 2});
  const Array least = Array::from(std::vector<int8_t>{-128, -128}, {2});
  const ArgReduceOptions every[] = {
      {}, {.axis = 0}, {.axis = -1, .keepdims = true}, {.keepdims = true}};
  Comparisons list;
  for (const Array& x : {ties, cast<int>(ties), lost, least}) {
    for (const ArgReduceOptions& options : every) {
      list.add("argmax", argmax(constant(x), options), argmax(x, options));
      list.add("argmin", argmin(constant(x), options), argmin(x, options));
    }
  }
}

TEST(Reductions, VarianceAndLogOfSumOfExponentials) {
  const Tensor x = constant(kReal);
  Comparisons list;
  list.add("var", var(x, {.axis = -1}),
           Array::from({2.375f, 2.1666667f}, {1, 2}));
  list.add("var of ints", var(constant(Array::from({1, 2, 3, 4}))),
           Array::scalar(1.25f));
  list.add("logsumexp", logsumexp(constant(Array::from({1000.f, 1000.f}))),
           Array::scalar(1000.69315f));
  list.add("logsumexp of nothing",
           logsumexp(constant(Array::full({2}, -INFINITY))),
           Array::scalar(-INFINITY));
  list.add("logsumexp, kept", logsumexp(x, {.axis = 2, .keepdims = true}),
           log(sum(exp(kReal), {.axis = 2, .keepdims = true})));
}

TEST(Reductions, OverNothing) {
  const Array empty = Array::zeros({2, 0});
  Comparisons list;
  list.add("sum", sum(constant(empty), {.axis = 1}), Array::zeros({2}));
  list.add("prod", prod(constant(empty), {.axis = 1}), Array::ones({2}));
  list.add("max of none", max(constant(empty), {.axis = 0}), Array::zeros({0}));
  EXPECT_TRUE(std::isnan(mean(constant(empty)).item<float>()));
}

// Equals share the gradient, so that it sums to one.
TEST(Reductions, GradientOfTies) {
  GradientTape tape;
  const Tensor x = constant(Array::from({5.f, 1.f, 5.f, 0.f}));
  tape.watch(x);
  const Array gradient = tape.gradient(max(x) + 10 * min(x), x).numpy();
  EXPECT_EQ(gradient.to_string(), "[ 0.5  0.   0.5 10. ]");
}

TEST(Reductions, ProductsOfTwoZerosHaveNoGradient) {
  GradientTape tape;
  const Tensor x = constant(Array::from({0.f, 3.f, 0.f}));
  tape.watch(x);
  EXPECT_EQ(tape.gradient(prod(x), x).numpy().to_string(), "[0. 0. 0.]");
}

TEST(Reductions, WrongAxesAreTold) {
  const Tensor x = constant(kReal);
  EXPECT_TRUE(begins(message_of<OutOfRangeError>([&] { sum(x, {.axis = 3}); }),
                     "sum: "));
  EXPECT_NE(message_of<ValueError>([&] { sum(x, {.axis = {0, 0}}); }), "");
  EXPECT_TRUE(
      begins(message_of<OutOfRangeError>([&] { argmin(x, {.axis = -4}); }),
             "argmin: "));
  const int line = __LINE__ + 2;
  const std::string text = message_of<ShapeError>([] {
    argmax(constant(Array::zeros({2, 0})), {.axis = 1});
  });
  EXPECT_EQ(text,
            "argmax: expected at least one element along axis 1, got none\n"
            "  input: float32[2, 0]\n"
            "  at: reductions_platform_test.cc:" +
                std::to_string(line));
}

}  // namespace
}  // namespace systolic
