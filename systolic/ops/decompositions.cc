// Tested by: systolic/ops/linalg_platform_test.cc
// QR, eigenvalues and singular values. XLA expands calls of "Qr" and "Eigh" on
// every platform; singular values are made of both.
#include <cmath>
#include <vector>

#include "systolic/array/arrays.h"
#include "systolic/base/message.h"
#include "systolic/graph/elementwise.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/linalg.h"
#include "systolic/ops/linalg_parts.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/matrices.h"
#include "systolic/ops/reductions.h"

namespace systolic {

using namespace internal::graph;
using namespace internal::ops;
using internal::stablehlo::Value;

namespace {

Shape with_sides(const Shape& shape, int64_t rows, int64_t columns) {
  Shape result = shape;
  result.set(result.rank() - 2, rows);
  result.set(result.rank() - 1, columns);
  return result;
}

int64_t short_side(const Shape& shape) {
  return std::min(shape[-1], shape[-2]);
}

Shape values_shape(const Shape& shape) {
  Shape result(shape.dims().first(static_cast<size_t>(shape.rank()) - 2));
  result.push_back(short_side(shape));
  return result;
}

Specs infer_qr(Infer& in, const NoOptions&) {
  require_matrix(in, 0);
  const Shape& shape = in.shape(0);
  const int64_t k = short_side(shape);
  return std::vector<TensorSpec>{
      {in.dtype(0), with_sides(shape, shape[-2], k)},
      {in.dtype(0), with_sides(shape, k, shape[-1])}};
}

// Walter and Lehmann, "Algorithmic differentiation of linear algebra functions
// with application in optimum experimental design" (2012), as TensorFlow has
// it for matrices that are at least as tall as wide.
Grads qr_gradient(Vjp& v, const NoOptions&) {
  const Shape& shape = v.input_spec(0).shape;
  if (shape[-2] < shape[-1]) {
    internal::Message("qr")
        .expected("a gradient of matrices that are not wider than tall")
        .got(shape)
        .raise<ValueError>();
  }
  const Tensor q = v.output(0), r = v.output(1);
  const Tensor dq = v.gradient(0), dr = v.gradient(1);
  const Tensor qdq = matmul(matrix_transpose(q), dq);
  const Tensor rdr = matmul(r, matrix_transpose(dr));
  const Tensor turning =
      qdq - matrix_transpose(qdq) + rdr - matrix_transpose(rdr);
  // x times the inverse of transpose(r).
  const auto divided = [&](const Tensor& x) {
    return matrix_transpose(
        triangular_solve(r, matrix_transpose(x), {.lower = false}));
  };
  const Tensor inside = matmul(q, dr + divided(lower_part(turning, false)));
  return {inside + divided(dq - matmul(q, qdq))};
}

constexpr Op<> kQr{.name = "qr",
                   .infer = infer_qr,
                   .lower =
                       [](Lower& l, const NoOptions&) {
                         const auto [q, r] = Matrices(l.e).any_qr(l[0]);
                         return Values{q, r};
                       },
                   .vjp = qr_gradient,
                   .residuals = {0, 3}};

// 1 / (x_j - x_i) beside the diagonal.
Tensor inverse_distances(const Tensor& x) {
  const Tensor distance = expand_dims(x, -2) - expand_dims(x, -1);
  const int64_t n = x.shape()[-1];
  const Tensor other = not_equal(reshape(arange(n), Shape{-1, 1}), arange(n));
  return where(other, 1 / where(other, distance, 1), 0);
}

Tensor diagonal_matrix(const Tensor& x) {
  const int64_t n = x.shape()[-1];
  const Tensor on = equal(reshape(arange(n), Shape{-1, 1}), arange(n));
  return where(on, expand_dims(x, -1), 0);
}

// Giles, "Collected matrix derivative results" (2008), section 3.1.
Grads eigh_gradient(Vjp& v, const NoOptions&) {
  const Tensor w = v.output(0), vectors = v.output(1);
  const Tensor turned = matrix_transpose(vectors);
  const Tensor middle = diagonal_matrix(v.gradient(0)) +
                        inverse_distances(w) * matmul(turned, v.gradient(1));
  const Tensor full = matmul(matmul(vectors, middle), turned);
  return {(full + matrix_transpose(full)) * 0.5};
}

constexpr Op<> kEigh{
    .name = "eigh",
    .infer =
        [](Infer& in, const NoOptions& o) {
          infer_square(in, o);
          return Specs({{in.dtype(0), values_shape(in.shape(0))}, in[0]});
        },
    .lower =
        [](Lower& l, const NoOptions&) {
          if (has_lapack(l, "systolic_eigh")) {
            return lapack_call(l, "systolic_eigh");
          }
          const auto [values, vectors] = Matrices(l.e).eigh(l[0]);
          return Values{values, vectors};
        },
    .vjp = eigh_gradient,
    .residuals = {0, 3}};

// Numbers, one for each matrix, beside all elements of `shape`.
Value beside(const Matrices& m, const Value& numbers, const Shape& shape) {
  std::vector<int64_t> batch;
  for (int i = 0; i < numbers.spec.shape.rank(); ++i) batch.push_back(i);
  return m.e.broadcast_in_dim(numbers, shape, batch);
}

// The weights of one step of the QDWH iteration, for each matrix whose least
// singular value is l, and what l becomes (Nakatsukasa, Bai and Gygi,
// "Optimizing Halley's iteration for computing the matrix polar decomposition",
// 2010).
struct Weights {
  Value of_x, of_q, root, next;
};

Weights weights_of(const Matrices& m, const Value& l) {
  const auto number = [&](double value) { return m.e.splat(l.spec, value); };
  const auto add = [&](const Value& x, const Value& y) {
    return m.e.binary("add", x, y);
  };
  const auto mul = [&](const Value& x, const Value& y) {
    return m.e.binary("multiply", x, y);
  };
  const auto sub = [&](const Value& x, const Value& y) {
    return m.e.binary("subtract", x, y);
  };
  const auto div = [&](const Value& x, const Value& y) {
    return m.e.binary("divide", x, y);
  };
  const auto sqrt = [&](const Value& x) { return m.e.unary("sqrt", x); };
  const Value one = number(1), l2 = mul(l, l);
  // 4 (1 - l2) / l2 squared, whose parts may leave the range of float32.
  const Value over = div(mul(number(4), sub(one, l2)), l2);
  const Value d = div(m.e.unary("cbrt", over), m.e.unary("cbrt", l2));
  const Value root = sqrt(add(one, d));
  const Value under =
      add(sub(number(8), mul(number(4), d)),
          div(mul(number(8), sub(number(2), l2)), mul(l2, root)));
  const Value a = add(root, mul(number(0.5), sqrt(under)));
  const Value less = sub(a, one);
  const Value b = mul(number(0.25), mul(less, less));
  const Value c = sub(add(a, b), one);
  const Value share = div(b, c), root_c = sqrt(c);
  const Value next = div(mul(l, add(a, mul(b, l2))), add(one, mul(c, l2)));
  return {share, div(sub(a, share), root_c), root_c,
          m.e.binary("minimum", next, one)};
}

// What no singular value of x is below: of the inverse of QR's triangle, no
// less than epsilon.
Value least_singular_value(const Matrices& m, const Value& x, double epsilon) {
  const Value r = m.qr(x).second;
  const Value inverse = m.e.statement(
      "triangular_solve", {r, m.identity(r)}, r.spec,
      "left_side = true, lower = false, unit_diagonal = false, transpose_a = "
      "#stablehlo<transpose NO_TRANSPOSE>");
  const int64_t rank = x.spec.shape.rank();
  const int64_t sides[] = {rank - 2, rank - 1};
  const Value squares =
      m.e.reduce(internal::stablehlo::Combine::add,
                 m.e.binary("multiply", inverse, inverse), sides);
  const Value least = m.e.unary("rsqrt", squares);
  const Value smallest = m.e.splat(least.spec, epsilon);
  // NaN of a singular triangle is no more than epsilon, either.
  return m.e.select(m.e.compare("GT", least, smallest), least, smallest);
}

// The orthonormal factor of the polar decomposition of x, at least as tall as
// wide: each step moves all singular values towards 1 at once.
Value polar(const Matrices& m, const Value& x) {
  const double epsilon = x.spec.dtype == DType::float64 ? 0x1p-52 : 0x1p-23;
  const int64_t rows = x.spec.shape[-2], n = x.spec.shape[-1];
  const int rank = x.spec.shape.rank();
  const TensorSpec counter{DType::int32, Shape::scalar()};
  const Value start[] = {m.e.splat(counter, 0), x,
                         least_singular_value(m, x, epsilon)};
  std::vector<int64_t> batch;
  for (int i = 0; i < rank - 2; ++i) batch.push_back(i);
  return m.e.while_loop(
      start,
      [&](std::span<const Value> v) {
        const Value far =
            m.e.compare("LT", v[2], m.e.splat(v[2].spec, 1 - 4 * epsilon));
        return Values{m.e.binary(
            "and",
            m.e.reduce(internal::stablehlo::Combine::logical_or, far, batch),
            m.e.compare("LT", v[0], m.e.splat(counter, 12)))};
      },
      [&](std::span<const Value> v) {
        const Value& now = v[1];
        const Shape& shape = now.spec.shape;
        const Weights w = weights_of(m, v[2]);
        const auto times = [&](const Value& number, const Value& y) {
          return m.e.binary("multiply", beside(m, number, shape), y);
        };
        const Value square =
            m.e.splat({x.spec.dtype, Matrices::shape(x, n, n)}, 0);
        const Value stacked[] = {times(w.root, now), m.identity(square)};
        const Value q = m.qr(m.e.concatenate(stacked, rank - 2)).first;
        std::vector<int64_t> starts(static_cast<size_t>(rank), 0);
        starts[static_cast<size_t>(rank) - 2] = rows;
        const std::vector<int64_t> strides(static_cast<size_t>(rank), 1);
        const Value below = m.e.slice(q, starts, q.spec.shape.dims(), strides);
        const Value turn = m.product(m.corner(q, rows, n), m.transpose(below));
        return Values{
            m.e.binary("add", v[0], m.e.splat(counter, 1)),
            m.e.binary("add", times(w.of_x, now), times(w.of_q, turn)), w.next};
      })[1];
}

// x over its Frobenius norm, which no singular value exceeds, and the norm.
std::pair<Value, Value> normalised(const Matrices& m, const Value& x) {
  const int64_t rank = x.spec.shape.rank();
  const int64_t sides[] = {rank - 2, rank - 1};
  // Over the largest element first, so that no square overflows.
  const auto nonzero = [&](const Value& v) {
    const Value zero = m.e.splat(v.spec, 0), one = m.e.splat(v.spec, 1);
    return beside(m, m.e.select(m.e.compare("EQ", v, zero), one, v),
                  x.spec.shape);
  };
  using internal::stablehlo::Combine;
  const Value largest =
      m.e.reduce(Combine::maximum, m.e.unary("abs", x), sides);
  const Value small = m.e.binary("divide", x, nonzero(largest));
  const Value norm = m.e.unary(
      "sqrt",
      m.e.reduce(Combine::add, m.e.binary("multiply", small, small), sides));
  return {m.e.binary("divide", small, nonzero(norm)),
          m.e.binary("multiply", nonzero(norm), nonzero(largest))};
}

// x = polar factor times a symmetric matrix, whose eigenvectors are v: after
// Higham and Papadimitriou (1994), and as JAX does on TPU.
Values tall_svd(const Matrices& m, const Value& x) {
  const int64_t rank = x.spec.shape.rank();
  const auto [unit, norm] = normalised(m, x);
  const Value orthonormal = polar(m, unit);
  const Value h = m.product(m.transpose(orthonormal), unit);
  const Value half = m.e.splat(h.spec, 0.5);
  const Value symmetric =
      m.e.binary("multiply", half, m.e.binary("add", h, m.transpose(h)));
  auto [s, v] = m.eigh(symmetric);
  const int64_t last[] = {rank - 1}, last_value[] = {rank - 2};
  s = m.e.reverse(s, last_value);
  v = m.e.reverse(v, last);
  s = m.e.binary("maximum", s, m.e.splat(s.spec, 0));
  // Where x has not full rank, columns of u are no unit vectors yet.
  const auto [q, r] = m.qr(m.product(orthonormal, v));
  const Value diagonal = m.diagonal(r);
  const Value one = m.e.splat(diagonal.spec, 1);
  const Value sign =
      m.e.select(m.e.compare("LT", diagonal, m.e.splat(diagonal.spec, 0)),
                 m.e.unary("negate", one), one);
  const Value u =
      m.e.binary("multiply", q, m.along_columns(sign, q.spec.shape));
  const Value scale = m.e.reshape(
      m.corner(norm, 1, 1),
      Shape(x.spec.shape.dims().first(static_cast<size_t>(rank) - 2)));
  return {u, m.e.binary("multiply", s, beside(m, scale, s.spec.shape)),
          m.transpose(v)};
}

Values lower_svd(Lower& l, const NoOptions&) {
  if (has_lapack(l, "systolic_svd")) return lapack_call(l, "systolic_svd");
  const Matrices m(l.e);
  const Shape& shape = l[0].spec.shape;
  if (shape[-2] >= shape[-1]) return tall_svd(m, l[0]);
  const Values turned = tall_svd(m, m.transpose(l[0]));
  return {m.transpose(turned[2]), turned[1], m.transpose(turned[0])};
}

// Townsend, "Differentiating the singular value decomposition" (2016).
Grads svd_gradient(Vjp& v, const NoOptions&) {
  const Tensor u = v.output(0), s = v.output(1), vh = v.output(2);
  const Tensor du = v.gradient(0), dv = matrix_transpose(v.gradient(2));
  const Tensor ut = matrix_transpose(u), vt = matrix_transpose(vh);
  const Tensor f = inverse_distances(square(s));
  const Tensor row = expand_dims(s, -2), column = expand_dims(s, -1);
  const Tensor udu = matmul(ut, du), vdv = matmul(vh, dv);
  const Tensor inside = f * (udu - matrix_transpose(udu)) * row +
                        column * (f * (vdv - matrix_transpose(vdv))) +
                        diagonal_matrix(v.gradient(1));
  Tensor result = matmul(matmul(u, inside), vh);
  const Shape& shape = v.input_spec(0).shape;
  if (shape[-2] > shape[-1]) {
    result = result + matmul((du - matmul(u, udu)) / row, vh);
  }
  if (shape[-2] < shape[-1]) {
    const Tensor outside = (dv - matmul(vt, vdv)) / row;
    result = result + matmul(u, matrix_transpose(outside));
  }
  return {result};
}

constexpr Op<> kSvd{
    .name = "svd",
    .infer =
        [](Infer& in, const NoOptions& o) {
          const Specs sides = infer_qr(in, o);
          return Specs(
              {sides[0], {in.dtype(0), values_shape(in.shape(0))}, sides[1]});
        },
    .lower = lower_svd,
    .vjp = svd_gradient,
    .residuals = {0, 7}};

constexpr const OpDef* kCatalog[] = {&kDefinition<kQr>, &kDefinition<kEigh>,
                                     &kDefinition<kSvd>};

template <const auto& op>
std::vector<Tensor> decompose(const Arg& x) {
  std::vector<Tensor> parts =
      record_all<op>({as_matrices(x).ref()}, NoOptions{}, x.where());
  for (Tensor& part : parts) part = as_before(part, x);
  return parts;
}

}  // namespace

std::span<const OpDef* const> internal::ops::decompositions_catalog() {
  return kCatalog;
}

std::pair<Tensor, Tensor> qr(const Arg& x) {
  const auto parts = decompose<kQr>(x);
  return {parts[0], parts[1]};
}

std::pair<Tensor, Tensor> eigh(const Arg& x) {
  const auto parts = decompose<kEigh>(x);
  return {parts[0], parts[1]};
}

Tensor eigvalsh(const Arg& x) { return eigh(x).first; }

std::tuple<Tensor, Tensor, Tensor> svd(const Arg& x) {
  const auto parts = decompose<kSvd>(x);
  return {parts[0], parts[1], parts[2]};
}

Tensor svdvals(const Arg& x) { return std::get<1>(svd(x)); }

Tensor pinv(const Arg& x, double rcond) {
  const auto [u, s, vh] = svd(x);
  const auto longer =
      static_cast<double>(std::max(u.shape()[-2], vh.shape()[-1]));
  const double unit = s.dtype() == DType::float64 ? 0x1p-52 : 0x1p-23;
  const Tensor least = max(s, {.axis = -1, .keepdims = true}) *
                       (rcond < 0 ? longer * unit : rcond);
  const Tensor large = s > least;
  const Tensor inverse = where(large, 1 / where(large, s, 1), 0);
  return matmul(matrix_transpose(vh) * expand_dims(inverse, -2),
                matrix_transpose(u));
}

Tensor lstsq(const Arg& a, const Arg& b, double rcond) {
  return matmul(pinv(a, rcond), b);
}

}  // namespace systolic
