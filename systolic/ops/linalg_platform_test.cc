#include <gtest/gtest.h>

#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/ops/linalg.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/products.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

namespace {

Tensor transposed(const Tensor& x) {
  std::vector<int> order;
  for (int i = 0; i < x.rank() - 2; ++i) order.push_back(i);
  order.push_back(x.rank() - 1);
  order.push_back(x.rank() - 2);
  return transpose(x, order);
}

Tensor unit(int64_t n, DType dtype) {
  return cast(equal(reshape(arange(n), {n, 1}), arange(n)), dtype);
}

// Symmetric and positive definite, whatever x is.
Tensor positive(const Tensor& x) {
  return matmul(x, transposed(x)) + unit(x.shape()[-2], x.dtype());
}

}  // namespace

std::vector<OpSample> internal::ops::linalg_samples() {
  const Array x =
      Array::from({1.5, -2.25, 0.75, 3., -0.5, 2., 0.25, 1., -1.25}, {3, 3});
  const Array tall = Array::from({1.5, -2.25, 0.75, 3., -0.5, 2.}, {3, 2});
  const Array batch =
      Array::from({2., 0.5, -0.75, 1.5, 1.25, -1., 0.5, 3.}, {2, 2, 2});
  std::vector<OpSample> samples{
      {.op = "cholesky",
       .call =
           [](const Tensors& in) { return Tensors{cholesky(positive(in[0]))}; },
       .inputs = {x}},
      {.op = "triangular_solve",
       .call =
           [](const Tensors& in) {
             const Tensor a = in[0] + 3 * unit(3, in[0].dtype());
             return Tensors{
                 triangular_solve(a, in[1]),
                 triangular_solve(a, in[1], {.adjoint = true}),
                 solve_triangular(a, in[1]),
                 triangular_solve(a, in[1], {.lower = false, .adjoint = true})};
           },
       .inputs = {x, tall}},
      {.op = "qr",
       .call =
           [](const Tensors& in) {
             const auto [q, r] = qr(in[0]);
             return Tensors{q, r};
           },
       .inputs = {tall}},
      {.op = "eigh",
       .call =
           [](const Tensors& in) {
             const auto [w, v] = eigh(in[0] + transposed(in[0]));
             return Tensors{w, square(v)};
           },
       .inputs = {x}},
      {.op = "svd",
       .call =
           [](const Tensors& in) {
             const auto [u, s, vh] = svd(in[0]);
             return Tensors{square(u), s, square(vh), matmul(u, vh)};
           },
       .inputs = {tall}},
      {.op = "svd",
       .name = "of wide matrices",
       .call =
           [](const Tensors& in) {
             const auto [u, s, vh] = svd(transposed(in[0]));
             return Tensors{square(u), s, matmul(u, vh)};
           },
       .inputs = {tall}},
      {.op = "lu",
       .call = [](const Tensors& in) { return Tensors{lu(in[0]).first}; },
       .inputs = {x}},
      {.op = "solve",
       .call = [](const Tensors& in) { return Tensors{solve(in[0], in[1])}; },
       .inputs = {x, tall}},
      {.op = "solve",
       .name = "batch",
       .call =
           [](const Tensors& in) {
             return Tensors{solve(in[0], in[0] + 1), inv(in[0])};
           },
       .inputs = {batch}},
      {.op = "lu",
       .name = "determinants",
       .call =
           [](const Tensors& in) {
             return Tensors{det(in[0]), slogdet(in[0]).second};
           },
       .inputs = {batch}}};
  for (OpSample& sample : samples) {
    sample.dtypes = {DType::float32, DType::float64};
    sample.error = 20;
  }
  return samples;
}

namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;

// Numbers that have nothing to do with each other.
Array numbers(const Shape& shape) {
  Array result = Array::uninitialized({DType::float64, shape});
  double state = 0.5;
  for (double& value : result.mutable_span<double>()) {
    state = std::fmod(state * 997 + 0.123, 1.0);
    value = 4 * state - 2;
  }
  return result;
}

// Each decomposition put together again, in both dtypes and several shapes.
class Linalg : public testing::TestWithParam<Shape> {
 protected:
  void check(const std::string& name, const Tensor& got, const Tensor& wanted) {
    const bool is_double = got.dtype() == DType::float64;
    const double error = is_double ? 1e-11 : 2e-4;
    // The difference, so that all are computed in one launch.
    all_.add(name + " in " + std::string(systolic::name(got.dtype())),
             got - wanted, Array::zeros(got.shape(), got.dtype()), {0, error});
  }

  static std::vector<Tensor> inputs() {
    const Array x = numbers(GetParam());
    return {constant(x), constant(cast<float>(x))};
  }

  static Tensor identity(const Tensor& x) {
    return zeros_like(x) + unit(x.shape()[-1], x.dtype());
  }

  Comparisons all_;
};

TEST_P(Linalg, PartsGiveTheMatrixAgain) {
  for (const Tensor& x : inputs()) {
    const auto [q, r] = qr(x);
    check("q r", matmul(q, r), x);
    const Tensor qq = matmul(transposed(q), q);
    check("q is orthonormal", qq, identity(qq));
    const auto [u, s, vh] = svd(x);
    check("u s vh", matmul(u * expand_dims(s, -2), vh), x);
    const Tensor uu = matmul(transposed(u), u);
    check("u is orthonormal", uu, identity(uu));
    const Tensor vv = matmul(vh, transposed(vh));
    check("v is orthonormal", vv, identity(vv));
    check("pinv", matmul(matmul(x, pinv(x)), x), x);
  }
}

TEST_P(Linalg, SquareMatricesAreSolved) {
  if (GetParam()[-1] != GetParam()[-2]) return;
  for (const Tensor& x : inputs()) {
    const Tensor a = positive(x);
    const Tensor l = cholesky(a);
    check("l lt", matmul(l, transposed(l)), a);
    check("cholesky_solve", matmul(a, cholesky_solve(l, x)), x);
    const auto [w, v] = eigh(a);
    check("v w vt", matmul(v * expand_dims(w, -2), transposed(v)), a);
    check("solve", matmul(x, solve(x, a)), a);
    check("inv", matmul(inv(x), x), identity(x));
    const auto [size, logarithm] = slogdet(x);
    // Numbers of several thousands.
    const Tensor whole = det(x);
    check("slogdet", size * exp(logarithm) / whole, whole / whole);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Linalg,
                         testing::Values(Shape{1, 1}, Shape{12, 12},
                                         Shape{7, 3}, Shape{2, 2, 3, 5}));

// numpy.linalg's numbers.
TEST(LinalgValues, AreNumPys) {
  const Tensor a =
      constant({{4.0, 12.0, -16.0}, {12.0, 37.0, -43.0}, {-16.0, -43.0, 98.0}});
  const Tensor b = constant({{1.0, 2.0}, {3.0, 4.0}});
  Comparisons all;
  const golden::Tolerance near{2e-4, 2e-4};
  all.add("cholesky", cholesky(a),
          Array::from({2.f, 0.f, 0.f, 6.f, 1.f, 0.f, -8.f, 5.f, 3.f}, {3, 3}),
          near);
  all.add("det", det(b), Array::scalar(-2.f), near);
  all.add("sign", slogdet(b).first, Array::scalar(-1.f));
  all.add("logdet", slogdet(b).second, Array::scalar(std::log(2.f)), near);
  all.add("inv", inv(b), Array::from({-2.f, 1.f, 1.5f, -0.5f}, {2, 2}), near);
  all.add("vector", solve(b, constant({5.0, 6.0})), Array::from({-4.f, 4.5f}),
          near);
  all.add("eigvalsh", eigvalsh(constant({{2.0, 1.0}, {1.0, 2.0}})),
          Array::from({1.f, 3.f}), near);
  all.add("svdvals", svdvals(b), Array::from({5.4649857f, 0.36596619f}), near);
  all.add("lu", lu_factor(b).first,
          Array::from({3.f, 4.f, 1.f / 3, 2.f / 3}, {2, 2}), near);
  all.add("pivots", lu_factor(b).second, Array::from({1, 1}));
  all.add("permutation", lu(b).second, Array::from({1, 0}));
  all.add("whole numbers", det(constant({{2, 0}, {0, 3}})), Array::scalar(6.f),
          near);
  all.add("triangular",
          solve_triangular(constant({{2.0, 1.0}, {0.0, 4.0}}),
                           constant({4.0, 8.0})),
          Array::from({1.f, 2.f}), near);
}

TEST(LinalgValues, LeastSquaresAreNumPys) {
  const Tensor tall =
      constant({{1.0, 1.0}, {1.0, 2.0}, {1.0, 3.0}, {1.0, 4.0}});
  Comparisons all;
  const golden::Tolerance near{2e-4, 2e-4};
  all.add("a line", lstsq(tall, constant({6.0, 5.0, 7.0, 10.0})),
          Array::from({3.5f, 1.4f}), near);
  all.add(
      "two",
      lstsq(tall, constant({{6.0, 1.0}, {5.0, 2.0}, {7.0, 3.0}, {10.0, 4.0}})),
      Array::from({3.5f, 0.f, 1.4f, 1.f}, {2, 2}), near);
  all.add("the shortest", lstsq(constant({{1.0, 1.0}}), constant({4.0})),
          Array::from({2.f, 2.f}), near);
}

// On every platform: of what has no decomposition there are no numbers.
TEST(LinalgValues, WhatHasNoDecompositionIsNan) {
  const Tensor l = cholesky(constant({{1.0, 2.0}, {2.0, 1.0}}));
  EXPECT_TRUE(std::isnan(sum(l).item<float>()));
  const Tensor x =
      solve(constant({{1.0, 2.0}, {2.0, 4.0}}), constant({1.0, 1.0}));
  EXPECT_FALSE(std::isfinite(sum(x).item<float>()));
  EXPECT_TRUE(std::isnan(
      sum(svdvals(constant({{1.0, NAN}, {2.0, 4.0}}))).item<float>()));
}

TEST(LinalgValues, NormsAreNumPys) {
  const Tensor x = constant({{1.0, -2.0}, {3.0, 4.0}});
  const Tensor v = constant({3.0, 0.0, -4.0});
  Comparisons all;
  const golden::Tolerance near{2e-4, 2e-4};
  const auto add = [&](const char* name, const Tensor& got, float wanted) {
    all.add(name, got, Array::scalar(wanted), near);
  };
  add("vector", norm(v), 5);
  add("1", norm(v, {.ord = 1}), 7);
  add("inf", norm(v, {.ord = INFINITY}), 4);
  add("-inf", norm(v, {.ord = -INFINITY}), 0);
  add("0", norm(v, {.ord = 0}), 2);
  add("3", norm(v, {.ord = 3}), 4.4979414f);
  add("matrix", norm(x), std::sqrt(30.f));
  add("fro", norm(x, {.ord = "fro"}), std::sqrt(30.f));
  add("nuc", norm(x, {.ord = "nuc"}), 7.0710678f);
  add("matrix 1", norm(x, {.ord = 1}), 6);
  add("matrix -1", norm(x, {.ord = -1}), 4);
  add("matrix inf", norm(x, {.ord = INFINITY}), 7);
  add("matrix -inf", norm(x, {.ord = -INFINITY}), 3);
  add("matrix 2", norm(x, {.ord = 2}), 5.1166725f);
  add("matrix -2", norm(x, {.ord = -2}), 1.9543951f);
  all.add("rows", norm(x, {.axis = 1, .keepdims = true}),
          Array::from({std::sqrt(5.f), 5.f}, {2, 1}), near);
  all.add("both axes", norm(x, {.ord = 2, .axis = {1, 0}, .keepdims = true}),
          Array::from({5.1166725f}, {1, 1}), near);
  EXPECT_NE(message_of<ValueError>([&] { (void)norm(v, {.ord = "nuc"}); }), "");
  EXPECT_NE(message_of<ValueError>([&] { (void)norm(x, {.ord = 3}); }), "");
}

TEST(LinalgValues, WithoutFullRank) {
  const Tensor x =
      constant({{1.0, 2.0, 3.0}, {2.0, 4.0, 6.0}, {0.0, 0.0, 0.0}});
  const auto [u, s, vh] = svd(x);
  Comparisons all;
  const golden::Tolerance near{1e-4, 1e-4};
  all.add("u s vh", matmul(u * s, vh), x.numpy(), near);
  all.add("orthonormal", matmul(u, u, {.transpose_a = true}),
          unit(3, DType::float32).numpy(), near);
  all.add("s", s, Array::from({8.36660027f, 0.f, 0.f}), near);
  all.add("of zeros", svdvals(zeros({3, 2})), Array::from({0.f, 0.f}), near);
  all.add("singular", det(x), Array::scalar(0.f), near);
}

TEST(LinalgValues, NarrowFloatsStay) {
  const Tensor x = cast(constant({{2.0, 1.0}, {1.0, 3.0}}), DType::bfloat16);
  for (const Tensor& y : {cholesky(x), inv(x), svdvals(x), qr(x).first}) {
    EXPECT_EQ(y.dtype(), DType::bfloat16);
  }
}

TEST(LinalgValues, MistakesAreNamed) {
  const Tensor x = ones({2, 3});
  EXPECT_NE(message_of<ShapeError>([&] {
              (void)cholesky(x);
            }).find("square matrices"),
            std::string::npos);
  EXPECT_NE(message_of<ShapeError>([&] {
              (void)qr(ones({3}));
            }).find("rank 2 or more"),
            std::string::npos);
  EXPECT_NE(message_of<ShapeError>([&] {
              (void)solve(ones({2, 2}), ones({3, 1}));
            }).find("as many rows on the right"),
            std::string::npos);
}

}  // namespace
}  // namespace systolic
