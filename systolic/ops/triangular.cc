// Tested by: systolic/ops/linalg_platform_test.cc
// Cholesky's decomposition and triangular systems.
#include <algorithm>

#include "systolic/base/message.h"
#include "systolic/graph/elementwise.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/linalg.h"
#include "systolic/ops/linalg_parts.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/matrices.h"

namespace systolic {

using namespace internal::graph;
using namespace internal::ops;

namespace {

// Murray, "Differentiation of the Cholesky decomposition" (2016), section 3.
Grads cholesky_gradient(Vjp& v, const NoOptions&) {
  const Tensor l = v.output();
  const Tensor inner = matmul(matrix_transpose(l), v.gradient());
  // The lower triangle, its diagonal halved.
  const Tensor half =
      (lower_part(inner, false) + lower_part(inner, true)) * 0.5;
  const TriangularOptions turned{.lower = true, .adjoint = true};
  const Tensor left = triangular_solve(l, half, turned);
  const Tensor right = triangular_solve(l, matrix_transpose(left), turned);
  return {(right + matrix_transpose(right)) * 0.5};
}

constexpr Op<> kCholesky{.name = "cholesky",
                         .infer = infer_square,
                         .lower =
                             [](Lower& l, const NoOptions&) {
                               constexpr char kKernel[] = "systolic_cholesky";
                               if (has_lapack(l, kKernel)) {
                                 return lapack_call(l, kKernel);
                               }
                               // XLA leaves the upper triangle as it likes.
                               const auto y =
                                   l.e.statement("cholesky", {l[0]}, l.result(),
                                                 "lower = true");
                               return Values{Matrices(l.e).part(y, "LE")};
                             },
                         .vjp = cholesky_gradient,
                         .residuals = {0, 1}};

struct SolveAttributes {
  bool lower = true;
  bool transposed = false;
  template <class V>
  void visit(V&& v) const {
    v("lower", lower);
    v("transposed", transposed);
  }
};

Grads triangular_gradient(Vjp& v, const SolveAttributes& o) {
  const Tensor a = v.input(0), x = v.output();
  const Tensor b = triangular_solve(
      a, v.gradient(), {.lower = o.lower, .adjoint = !o.transposed});
  const Tensor full = o.transposed ? matmul(x, matrix_transpose(b))
                                   : matmul(b, matrix_transpose(x));
  const Tensor read =
      o.lower ? lower_part(full, false)
              : matrix_transpose(lower_part(matrix_transpose(full), false));
  return {-read, b};
}

constexpr Op<SolveAttributes> kTriangularSolve{
    .name = "triangular_solve",
    .infer =
        [](Infer& in, const SolveAttributes&) {
          infer_square(in, {});
          require_matrix(in, 1);
          if (in.shape(0)[-1] != in.shape(1)[-2]) {
            in.error()
                .expected("as many rows on the right as in the matrix")
                .got(in.shape(1), " for ", in.shape(0))
                .raise<ShapeError>();
          }
          return Specs(in[1]);
        },
    .lower =
        [](Lower& l, const SolveAttributes& o) {
          const std::string attributes =
              std::string("left_side = true, unit_diagonal = false, lower = ") +
              (o.lower ? "true" : "false") +
              ", transpose_a = #stablehlo<transpose " +
              (o.transposed ? "TRANSPOSE>" : "NO_TRANSPOSE>");
          return l.e.statement("triangular_solve", l.inputs(),
                               std::span(&l.result(), 1), attributes);
        },
    .vjp = triangular_gradient,
    .residuals = {1, 1}};

constexpr const OpDef* kCatalog[] = {&kDefinition<kCholesky>,
                                     &kDefinition<kTriangularSolve>};

}  // namespace

std::span<const OpDef* const> internal::ops::triangular_catalog() {
  return kCatalog;
}

Tensor internal::ops::matrix_transpose(const Tensor& x) {
  std::vector<int> order;
  for (int i = 0; i < x.rank() - 2; ++i) order.push_back(i);
  order.push_back(x.rank() - 1);
  order.push_back(x.rank() - 2);
  return transpose(x, order);
}

Tensor internal::ops::lower_part(const Tensor& x, bool strict) {
  const Tensor rows = reshape(arange(x.shape()[-2]), Shape{-1, 1});
  const Tensor columns = arange(x.shape()[-1]);
  return where(strict ? rows > columns : rows >= columns, x, 0);
}

Tensor internal::ops::as_matrices(const Arg& x) {
  const DType dtype = floating_dtype(x.dtype());
  return cast(x, dtype == DType::float64 ? dtype : DType::float32);
}

Tensor internal::ops::as_before(const Tensor& result, const Arg& x) {
  return cast(result, floating_dtype(x.dtype()));
}

std::pair<Tensor, Tensor> internal::ops::align_matrices(const Arg& a,
                                                        const Arg& b) {
  auto [x, y] = promote_operands(as_matrices(a), as_matrices(b));
  if (x.rank() < 2 || y.rank() < 2) return {x, y};
  const auto batch_of = [](const Tensor& t) {
    return Shape(t.shape().dims().first(static_cast<size_t>(t.rank()) - 2));
  };
  if (batch_of(x) == batch_of(y)) return {x, y};
  const Shape batch = broadcast(batch_of(x), batch_of(y));
  const auto widen = [&](const Tensor& t) {
    Shape shape = batch;
    shape.push_back(t.shape()[-2]);
    shape.push_back(t.shape()[-1]);
    return broadcast_to(t, shape);
  };
  return {widen(x), widen(y)};
}

Tensor cholesky(const Arg& x) {
  const Tensor in = as_matrices(x);
  return as_before(record<kCholesky>({in.ref()}, NoOptions{}, x.where()), x);
}

Tensor triangular_solve(const Arg& matrix, const Arg& rhs,
                        const TriangularOptions& options) {
  const auto [a, b] = align_matrices(matrix, rhs);
  const Tensor x = record<kTriangularSolve>(
      {a.ref(), b.ref()}, SolveAttributes{options.lower, options.adjoint},
      matrix.where());
  return as_before(x, rhs);
}

Tensor solve_triangular(const Arg& a, const Arg& b, bool lower) {
  const Tensor right = b.tensor();
  const bool is_vector = right.rank() == a.tensor().rank() - 1;
  const Tensor x = triangular_solve(
      a, Arg(is_vector ? expand_dims(right, -1) : right, b.where()),
      {.lower = lower});
  return is_vector ? squeeze(x, -1) : x;
}

Tensor cholesky_solve(const Arg& chol, const Arg& rhs) {
  const Tensor half = triangular_solve(chol, rhs);
  return triangular_solve(chol, half, {.adjoint = true});
}

}  // namespace systolic
