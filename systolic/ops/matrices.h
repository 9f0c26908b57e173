// Statements on values that are matrices (the last two axes), for lowerings.
#pragma once

#include <string_view>
#include <utility>

#include "systolic/graph/op.h"
#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::ops {

/// The square matrices of the inputs' spec; ShapeError for others, TypeError
/// for what is neither float32 nor float64.
graph::Specs infer_square(graph::Infer& in, const graph::NoOptions&);

/// Throws unless input i is a float32 or float64 Tensor of matrices.
void require_matrix(graph::Infer& in, int i);

/// Whether a kernel over LAPACK is there (on CPUs), for values with elements:
/// else XLA's own expansion is written.
bool has_lapack(const graph::Lower& l, std::string_view kernel);

/// Its call, of all inputs, for the op's results.
graph::Values lapack_call(graph::Lower& l, std::string_view kernel);

class Matrices {
 public:
  explicit Matrices(stablehlo::Emitter& e) : e(e) {}

  stablehlo::Emitter& e;
  using Value = stablehlo::Value;

  /// The shape with other last two sizes.
  static Shape shape(const Value& x, int64_t rows, int64_t columns);
  Value transpose(const Value& x) const;
  /// In full precision on every platform.
  Value product(const Value& x, const Value& y) const;
  /// Row or column numbers (int32), of x's shape.
  Value rows(const Value& x) const;
  Value columns(const Value& x) const;
  /// x where column - row `direction` 0 holds, else zero: "GE" is the upper
  /// triangle.
  Value part(const Value& x, const char* direction) const;
  Value identity(const Value& like) const;
  /// (..., k) beside the columns of (..., m, k).
  Value along_columns(const Value& x, const Shape& shape) const;
  /// The first rows and columns.
  Value corner(const Value& x, int64_t rows, int64_t columns) const;
  /// The diagonal (..., n) of (..., n, n).
  Value diagonal(const Value& x) const;
  /// q (..., m, n) and r (..., n, n), for m >= n.
  std::pair<Value, Value> qr(const Value& x) const;
  /// q (..., m, k) and r (..., k, n), for any m and n.
  std::pair<Value, Value> any_qr(const Value& x) const;
  /// Rising eigenvalues, and vectors.
  std::pair<Value, Value> eigh(const Value& x) const;

 private:
  std::pair<Value, Value> refined(const Value& x, const Value& vectors) const;
};

}  // namespace systolic::internal::ops
