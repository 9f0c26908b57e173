// Tested by: systolic/ops/linalg_platform_test.cc
// Gauss's elimination with row exchanges, and what is solved by it.
#include <algorithm>
#include <cmath>

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
using internal::stablehlo::Combine;
using internal::stablehlo::Value;

namespace {

// One elimination: a loop over the columns of square matrices, all batches at
// once. The matrix, pivots (..., n) and the permutation (..., n) go through it.
class Elimination {
 public:
  Elimination(internal::stablehlo::Emitter& e, const Value& x)
      : m_(e),
        e_(e),
        shape_(x.spec.shape),
        rank_(shape_.rank()),
        n_(shape_[-1]) {}

  Values run(const Value& x) {
    Shape line(shape_.dims().first(static_cast<size_t>(rank_) - 1));
    const Value places = e_.iota({DType::int32, line}, rank_ - 2);
    const TensorSpec counter{DType::int32, Shape::scalar()};
    const Value start[] = {e_.splat(counter, 0), x, places, places};
    Values end = e_.while_loop(
        start,
        [&](std::span<const Value> v) {
          return Values{e_.compare("LT", v[0], e_.splat_integer(counter, n_))};
        },
        [&](std::span<const Value> v) {
          Values next = step(v[0], v[1], v[2], v[3]);
          next.insert(next.begin(),
                      e_.binary("add", v[0], e_.splat(counter, 1)));
          return next;
        });
    end.erase(end.begin());
    return end;
  }

 private:
  // A scalar or a batch of numbers beside all elements of `shape`.
  Value beside(const Value& v, const Shape& shape) const {
    std::vector<int64_t> batch;
    for (int i = 0; i < v.spec.shape.rank(); ++i) batch.push_back(i);
    return e_.broadcast_in_dim(v, shape, batch);
  }

  // Rows (axis rank - 2) or columns of x that a mask chooses, summed.
  Value chosen(const Value& x, const Value& mask, int64_t axis) const {
    return e_.reduce(Combine::add, e_.select(mask, x, e_.splat(x.spec, 0)),
                     {{axis}});
  }

  // A row (..., n) in every row of the matrix; a column in every column.
  Value spread(const Value& line, int64_t axis) const {
    std::vector<int64_t> dimensions;
    for (int64_t i = 0; i < rank_; ++i) {
      if (i != axis) dimensions.push_back(i);
    }
    return e_.broadcast_in_dim(line, shape_, dimensions);
  }

  // Elements k and `pivot` of each line change places.
  Value exchanged(const Value& line, const Value& k, const Value& pivot) const {
    const Shape& shape = line.spec.shape;
    const Value places = e_.iota({DType::int32, shape}, rank_ - 2);
    const Value at_k = e_.compare("EQ", places, beside(k, shape));
    const Value at_pivot = e_.compare("EQ", places, beside(pivot, shape));
    const Value first = beside(chosen(line, at_k, rank_ - 2), shape);
    const Value second = beside(chosen(line, at_pivot, rank_ - 2), shape);
    return e_.select(at_k, second, e_.select(at_pivot, first, line));
  }

  Values step(const Value& k, const Value& x, const Value& pivots,
              const Value& permutation) {
    const Value rows = m_.rows(x), columns = m_.columns(x);
    const Value here = beside(k, shape_);
    const Value in_row = e_.compare("EQ", rows, here);
    const Value in_column = e_.compare("EQ", columns, here);
    const Value column = chosen(x, in_column, rank_ - 1);
    const Shape& line = column.spec.shape;
    const Value places = e_.iota({DType::int32, line}, rank_ - 2);
    const Value at_k = beside(k, line);
    // The largest of those not yet done.
    const Value size =
        e_.select(e_.compare("GE", places, at_k), e_.unary("abs", column),
                  e_.splat(column.spec, -1));
    const Value pivot = e_.arg_reduce(true, size, rank_ - 2);
    const Value in_pivot = e_.compare("EQ", rows, beside(pivot, shape_));
    const Value old_row = chosen(x, in_row, rank_ - 2);
    const Value new_row = chosen(x, in_pivot, rank_ - 2);
    const Value y =
        e_.select(in_row, spread(new_row, rank_ - 2),
                  e_.select(in_pivot, spread(old_row, rank_ - 2), x));
    return {
        eliminated(y, new_row, in_column, here),
        e_.select(e_.compare("EQ", places, at_k), beside(pivot, line), pivots),
        exchanged(permutation, k, pivot)};
  }

  // The rows below k less multiples of row k, which column k keeps.
  Value eliminated(const Value& y, const Value& row, const Value& in_column,
                   const Value& here) const {
    const Value below = e_.compare("GT", m_.rows(y), here);
    const Value right = e_.compare("GT", m_.columns(y), here);
    const Value row_everywhere = spread(row, rank_ - 2);
    const Value head =
        spread(chosen(row_everywhere, in_column, rank_ - 1), rank_ - 1);
    const Value zero = e_.splat(y.spec, 0), one = e_.splat(y.spec, 1);
    const Value divisor = e_.select(e_.compare("EQ", head, zero), one, head);
    const Value column = spread(chosen(y, in_column, rank_ - 1), rank_ - 1);
    const Value factor =
        e_.select(below, e_.binary("divide", column, divisor), zero);
    const Value change = e_.binary("multiply", factor, row_everywhere);
    const Value less = e_.binary("subtract", y, e_.select(right, change, zero));
    return e_.select(e_.binary("and", in_column, below), factor, less);
  }

  Matrices m_;
  internal::stablehlo::Emitter& e_;
  Shape shape_;
  int rank_;
  int64_t n_;
};

Specs infer_lu(Infer& in, const NoOptions& o) {
  infer_square(in, o);
  const Shape& shape = in.shape(0);
  const TensorSpec line{
      DType::int32,
      Shape(shape.dims().first(static_cast<size_t>(shape.rank()) - 1))};
  return std::vector<TensorSpec>{in[0], line, line};
}

// 1 where row i of the result is row permutation[i] of the input.
Tensor permutation_matrix(const Tensor& permutation, DType dtype) {
  return one_hot(permutation, permutation.shape()[-1], {.dtype = dtype});
}

Tensor upper_part(const Tensor& x) {
  return matrix_transpose(lower_part(matrix_transpose(x), false));
}

Tensor unit_lower(const Tensor& lu) {
  const int64_t n = lu.shape()[-1];
  const Tensor ones =
      cast(equal(reshape(arange(n), Shape{-1, 1}), arange(n)), lu.dtype());
  return lower_part(lu, true) + ones;
}

// From dL = L tril(L^-1 P dA U^-1, -1) and dU = triu(L^-1 P dA U^-1) U (Giles,
// "Collected matrix derivative results", 2008, in its way).
Grads lu_gradient(Vjp& v, const NoOptions&) {
  const Tensor lu = v.output(0), g = v.gradient(0);
  const Tensor l = unit_lower(lu), u = upper_part(lu);
  const Tensor inside =
      lower_part(matmul(matrix_transpose(l), lower_part(g, true)), true) +
      upper_part(matmul(upper_part(g), matrix_transpose(u)));
  const Tensor left = triangular_solve(l, inside, {.adjoint = true});
  const Tensor both = matrix_transpose(
      triangular_solve(u, matrix_transpose(left), {.lower = false}));
  const Tensor order = permutation_matrix(v.output(2), lu.dtype());
  return {matmul(matrix_transpose(order), both)};
}

constexpr Op<> kLu{.name = "lu",
                   .infer = infer_lu,
                   .lower =
                       [](Lower& l, const NoOptions&) {
                         return has_lapack(l, "systolic_lu")
                                    ? lapack_call(l, "systolic_lu")
                                    : Elimination(l.e, l[0]).run(l[0]);
                       },
                   .vjp = lu_gradient,
                   .residuals = {0, 5}};

Values lower_solve(Lower& l, const NoOptions&) {
  if (has_lapack(l, "systolic_solve")) return lapack_call(l, "systolic_solve");
  const Values parts = Elimination(l.e, l[0]).run(l[0]);
  const Matrices m(l.e);
  // The right-hand rows in the order of the exchanges.
  const Shape& square = l[0].spec.shape;
  std::vector<int64_t> dimensions;
  for (int i = 0; i < square.rank() - 1; ++i) dimensions.push_back(i);
  const Value wanted = l.e.broadcast_in_dim(parts[2], square, dimensions);
  const Value order =
      l.e.convert(l.e.compare("EQ", wanted, m.columns(l[0])), l.result().dtype);
  const Value right = m.product(order, l[1]);
  const auto solved = [&](const Value& b, const char* lower, const char* unit) {
    return l.e.statement(
        "triangular_solve", {parts[0], b}, b.spec,
        std::string("left_side = true, transpose_a = #stablehlo<transpose "
                    "NO_TRANSPOSE>, lower = ") +
            lower + ", unit_diagonal = " + unit);
  };
  return {solved(solved(right, "true", "true"), "false", "false")};
}

constexpr Op<> kSolve{
    .name = "solve",
    .infer =
        [](Infer& in, const NoOptions& o) {
          infer_square(in, o);
          require_matrix(in, 1);
          if (in.shape(0)[-1] != in.shape(1)[-2]) {
            in.error()
                .expected("as many rows on the right as in the matrix")
                .got(in.shape(1), " for ", in.shape(0))
                .raise<ShapeError>();
          }
          return Specs(in[1]);
        },
    .lower = lower_solve,
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor b = solve(matrix_transpose(v.input(0)), v.gradient());
          return Grads{-matmul(b, matrix_transpose(v.output())), b};
        },
    .residuals = {1, 1}};

constexpr const OpDef* kCatalog[] = {&kDefinition<kLu>, &kDefinition<kSolve>};

std::vector<Tensor> factors(const Arg& x) {
  return record_all<kLu>({as_matrices(x).ref()}, NoOptions{}, x.where());
}

Tensor diagonal_of(const Tensor& x) {
  const int64_t n = x.shape()[-1];
  const Tensor on = equal(reshape(arange(n), Shape{-1, 1}), arange(n));
  return sum(where(on, x, 0), {.axis = -1});
}

// 1 or -1: by the number of exchanges.
Tensor parity(const Tensor& pivots, DType dtype) {
  const Tensor exchanged = not_equal(pivots, arange(pivots.shape()[-1]));
  const Tensor count = sum(cast(exchanged, DType::int32), {.axis = -1});
  return cast(1 - 2 * (count % 2), dtype);
}

}  // namespace

std::span<const OpDef* const> internal::ops::lu_catalog() { return kCatalog; }

std::pair<Tensor, Tensor> lu_factor(const Arg& x) {
  const auto parts = factors(x);
  return {as_before(parts[0], x), parts[1]};
}

std::pair<Tensor, Tensor> lu(const Arg& x) {
  const auto parts = factors(x);
  return {as_before(parts[0], x), parts[2]};
}

Tensor solve(const Arg& a, const Arg& b) {
  const Tensor right = b.tensor();
  const bool is_vector = right.rank() == a.tensor().rank() - 1;
  const auto [x, y] = align_matrices(
      a, Arg(is_vector ? expand_dims(right, -1) : right, b.where()));
  const Tensor result =
      as_before(record<kSolve>({x.ref(), y.ref()}, NoOptions{}, a.where()), b);
  return is_vector ? squeeze(result, -1) : result;
}

Tensor inv(const Arg& x) {
  const Tensor in = x.tensor();
  const int64_t n = in.rank() > 0 ? in.shape()[-1] : 0;
  const Tensor ones = cast(equal(reshape(arange(n), Shape{-1, 1}), arange(n)),
                           floating_dtype(in.dtype()));
  return solve(x, ones);
}

Tensor det(const Arg& x) {
  const auto parts = factors(x);
  const Tensor size = prod(diagonal_of(parts[0]), {.axis = -1});
  return as_before(size * parity(parts[1], size.dtype()), x);
}

std::pair<Tensor, Tensor> slogdet(const Arg& x) {
  const auto parts = factors(x);
  const Tensor diagonal = diagonal_of(parts[0]);
  const Tensor signs = prod(sign(diagonal), {.axis = -1});
  return {as_before(signs * parity(parts[1], signs.dtype()), x),
          as_before(sum(log(abs(diagonal)), {.axis = -1}), x)};
}

}  // namespace systolic
