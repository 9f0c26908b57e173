// Tested by: systolic/ops/linalg_platform_test.cc
#include "systolic/ops/matrices.h"

#include <algorithm>
#include <numeric>

#include "systolic/base/message.h"

namespace systolic::internal::ops {

using graph::Infer;
using graph::NoOptions;
using graph::Specs;

void require_matrix(Infer& in, int i) {
  const TensorSpec& spec = in[i];
  if (spec.dtype != DType::float32 && spec.dtype != DType::float64) {
    in.error()
        .expected("float32 or float64")
        .got(spec.dtype)
        .raise<TypeError>();
  }
  if (spec.shape.rank() < 2) {
    in.error()
        .expected("matrices: an input of rank 2 or more")
        .got(spec.shape)
        .raise<ShapeError>();
  }
}

Specs infer_square(Infer& in, const NoOptions&) {
  require_matrix(in, 0);
  const Shape& shape = in.shape(0);
  if (shape[-1] != shape[-2]) {
    in.error().expected("square matrices").got(shape).raise<ShapeError>();
  }
  return in[0];
}

bool has_lapack(const graph::Lower& l, std::string_view kernel) {
  return l.result().shape.elements() > 0 && l.has_kernel(kernel);
}

graph::Values lapack_call(graph::Lower& l, std::string_view kernel) {
  std::vector<TensorSpec> results;
  for (int i = 0; i < l.node.num_outputs; ++i) results.push_back(l.result(i));
  return l.e.custom_call(
      kernel, l.inputs(), results,
      "replicas = " + std::to_string(l.placement.num_replicas()) + " : i64");
}

Shape Matrices::shape(const Value& x, int64_t rows, int64_t columns) {
  Shape result = x.spec.shape;
  result.set(result.rank() - 2, rows);
  result.set(result.rank() - 1, columns);
  return result;
}

Matrices::Value Matrices::transpose(const Value& x) const {
  std::vector<int64_t> order(static_cast<size_t>(x.spec.shape.rank()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return e.transpose(x, order);
}

Matrices::Value Matrices::product(const Value& x, const Value& y) const {
  const int rank = x.spec.shape.rank();
  std::string batch;
  for (int i = 0; i < rank - 2; ++i) {
    batch += (i > 0 ? ", " : "") + std::to_string(i);
  }
  std::string numbers = "dot_dimension_numbers = #stablehlo.dot<";
  if (!batch.empty()) {
    numbers += "lhs_batching_dimensions = [" + batch +
               "], rhs_batching_dimensions = [" + batch + "], ";
  }
  numbers += "lhs_contracting_dimensions = [" + std::to_string(rank - 1) +
             "], rhs_contracting_dimensions = [" + std::to_string(rank - 2) +
             "]>, precision_config = [#stablehlo<precision HIGHEST>, "
             "#stablehlo<precision HIGHEST>]";
  return e.statement(
      "dot_general", {x, y},
      {x.spec.dtype, shape(x, x.spec.shape[-2], y.spec.shape[-1])}, numbers);
}

Matrices::Value Matrices::rows(const Value& x) const {
  return e.iota({DType::int32, x.spec.shape}, x.spec.shape.rank() - 2);
}

Matrices::Value Matrices::columns(const Value& x) const {
  return e.iota({DType::int32, x.spec.shape}, x.spec.shape.rank() - 1);
}

Matrices::Value Matrices::part(const Value& x, const char* direction) const {
  return e.select(e.compare(direction, columns(x), rows(x)), x,
                  e.splat(x.spec, 0));
}

Matrices::Value Matrices::identity(const Value& like) const {
  return e.convert(e.compare("EQ", columns(like), rows(like)), like.spec.dtype);
}

Matrices::Value Matrices::along_columns(const Value& x,
                                        const Shape& shape) const {
  std::vector<int64_t> dimensions(static_cast<size_t>(x.spec.shape.rank()));
  std::iota(dimensions.begin(), dimensions.end(), 0);
  dimensions.back() = shape.rank() - 1;
  return e.broadcast_in_dim(x, shape, dimensions);
}

Matrices::Value Matrices::corner(const Value& x, int64_t rows,
                                 int64_t columns) const {
  const Shape result = shape(x, rows, columns);
  if (result == x.spec.shape) return x;
  const std::vector<int64_t> starts(static_cast<size_t>(result.rank()), 0);
  const std::vector<int64_t> strides(static_cast<size_t>(result.rank()), 1);
  return e.slice(x, starts, result.dims(), strides);
}

Matrices::Value Matrices::diagonal(const Value& x) const {
  const int64_t axis = x.spec.shape.rank() - 2;
  return e.reduce(stablehlo::Combine::add, part(x, "EQ"), {{axis}});
}

// XLA expands these calls on every platform: Householder reflections below the
// diagonal and their factors, then the product of the reflections.
std::pair<Matrices::Value, Matrices::Value> Matrices::qr(const Value& x) const {
  const int64_t m = x.spec.shape[-2], n = x.spec.shape[-1];
  Shape factors(
      x.spec.shape.dims().first(static_cast<size_t>(x.spec.shape.rank() - 2)));
  factors.push_back(std::min(m, n));
  const TensorSpec results[] = {x.spec, {x.spec.dtype, factors}};
  const auto parts = e.statement("custom_call", std::span(&x, 1), results,
                                 "call_target_name = \"Qr\"");
  const Value operands[] = {parts[0], parts[1]};
  const Value q = e.statement(
      "custom_call", operands, std::span(&x.spec, 1),
      "call_target_name = \"ProductOfElementaryHouseholderReflectors\"")[0];
  return {q, part(corner(parts[0], n, n), "GE")};
}

std::pair<Matrices::Value, Matrices::Value> Matrices::any_qr(
    const Value& x) const {
  const int64_t m = x.spec.shape[-2], n = x.spec.shape[-1];
  if (m >= n) return qr(x);
  const Value q = qr(corner(x, m, m)).first;
  return {q, part(product(transpose(q), x), "GE")};
}

std::pair<Matrices::Value, Matrices::Value> Matrices::eigh(
    const Value& x) const {
  Shape values(
      x.spec.shape.dims().first(static_cast<size_t>(x.spec.shape.rank() - 1)));
  const TensorSpec results[] = {x.spec, {x.spec.dtype, values}};
  // Lower triangle, sorted, at most 100 sweeps of Jacobi's rotations.
  const auto parts = e.statement(
      "custom_call", std::span(&x, 1), results,
      "call_target_name = \"Eigh\", backend_config = \"1,1,100,1e-6\"");
  return refined(e.binary("add", part(x, "LE"), transpose(part(x, "LT"))),
                 parts[0]);
}

// The call leaves about half of float64's digits: one step of Ogita and
// Aishima, "Iterative refinement for symmetric eigenvalue decomposition"
// (2018), doubles what is right.
std::pair<Matrices::Value, Matrices::Value> Matrices::refined(
    const Value& x, const Value& vectors) const {
  const Value turned = transpose(vectors);
  const Value square = product(turned, vectors);
  const Value rest = e.binary("subtract", identity(x), square);
  const Value middle = product(turned, product(x, vectors));
  const Value values = e.binary("divide", diagonal(middle), diagonal(square));
  const Value row = along_columns(values, x.spec.shape);
  const Value gap = e.binary("subtract", row, transpose(row));
  const Value change = e.binary("add", middle, e.binary("multiply", row, rest));
  const Value half = e.binary("multiply", e.splat(x.spec, 0.5), rest);
  // Not between eigenvalues that are too near, where any vectors will do.
  const Value far = e.compare(
      "GT", e.binary("multiply", e.splat(x.spec, 0.1), e.unary("abs", gap)),
      e.unary("abs", change));
  const Value divisor = e.select(far, gap, e.splat(x.spec, 1));
  const Value turn = e.select(far, e.binary("divide", change, divisor), half);
  return {values, e.binary("add", vectors, product(vectors, turn))};
}

}  // namespace systolic::internal::ops
