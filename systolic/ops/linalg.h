// Linear algebra on matrices: the last two axes; those before them are batches.
//
//   Tensor l = cholesky(a);
//   Tensor x = solve(a, b);
//   auto [u, s, v] = svd(a);
//
// float32 and float64; the narrow floats are computed in float32, and integers
// become float32. Names are Keras's; TensorFlow's beside them.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "systolic/array/axes.h"
#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic {

/// The lower triangle l with matmul(l, transpose(l)) = x, of a symmetric
/// positive definite x, whose lower triangle is read; NaN for others. Shapes:
/// (..., n, n).
Tensor cholesky(const Arg& x);

struct TriangularOptions {
  bool lower = true;
  bool adjoint = false;  // solve with the transposed matrix
};
/// The x with matmul(matrix, x) = rhs, of a triangular matrix. Shapes:
/// (..., n, n), (..., n, k) -> (..., n, k); leading axes broadcast.
Tensor triangular_solve(const Arg& matrix, const Arg& rhs,
                        const TriangularOptions& options = {});
/// Keras's name: of the upper triangle, unless `lower`. b may be a vector.
Tensor solve_triangular(const Arg& a, const Arg& b, bool lower = false);
/// The x with matmul(matmul(l, transpose(l)), x) = rhs, of cholesky's l.
Tensor cholesky_solve(const Arg& chol, const Arg& rhs);

/// q with orthonormal columns and an upper triangle r whose product is x.
/// Shapes: (..., m, n) -> (..., m, k), (..., k, n) with k = min(m, n).
std::pair<Tensor, Tensor> qr(const Arg& x);

/// Eigenvalues, rising, and eigenvectors (columns) of a symmetric x, whose
/// lower triangle is read. Shapes: (..., n, n) -> (..., n), (..., n, n).
std::pair<Tensor, Tensor> eigh(const Arg& x);
/// The eigenvalues alone.
Tensor eigvalsh(const Arg& x);

/// u, falling singular values s, and vh, with x = u diag(s) vh. Shapes:
/// (..., m, n) -> (..., m, k), (..., k), (..., k, n) with k = min(m, n).
std::tuple<Tensor, Tensor, Tensor> svd(const Arg& x);
/// The singular values alone, falling.
Tensor svdvals(const Arg& x);

/// Both triangles in one matrix (l without its diagonal of ones), and the rows
/// that were exchanged, one after another, as LAPACK has them (int32). Shapes:
/// (..., n, n) -> (..., n, n), (..., n).
std::pair<Tensor, Tensor> lu_factor(const Arg& x);
/// TensorFlow's lu: the same with the permutation of x's rows (int32).
std::pair<Tensor, Tensor> lu(const Arg& x);

/// The x with matmul(a, x) = b; b may be one vector. Infinite or NaN for a
/// singular a. Shapes: (..., n, n), (..., n, k) -> (..., n, k).
Tensor solve(const Arg& a, const Arg& b);
/// The inverse; infinite or NaN for a singular x.
Tensor inv(const Arg& x);
/// The determinant. Shapes: (..., n, n) -> (...).
Tensor det(const Arg& x);
/// The determinant's sign and the logarithm of its size.
std::pair<Tensor, Tensor> slogdet(const Arg& x);
/// The pseudo-inverse: singular values below rcond times the largest count as
/// zero (negative: as many units as the larger side has rows).
Tensor pinv(const Arg& x, double rcond = -1);

/// The x for which the norm of matmul(a, x) - b is least, and of those the
/// shortest; b may be one vector. rcond as pinv's. Shapes: (m, n), (m, k) ->
/// (n, k).
Tensor lstsq(const Arg& a, const Arg& b, double rcond = -1);

/// Which norm: a number, "fro" (Frobenius's) or "nuc" (the sum of the singular
/// values); unset, the square root of the sum of all squares.
class NormOrder {
 public:
  NormOrder() = default;
  NormOrder(double order) : order_(order) {}
  NormOrder(int order) : order_(order) {}
  NormOrder(std::string_view name) : name_(name) {}
  NormOrder(const char* name) : name_(name) {}
  bool is_set() const { return order_.has_value() || !name_.empty(); }
  /// Unset of a name.
  std::optional<double> order() const { return order_; }
  std::string_view name() const { return name_; }

 private:
  std::optional<double> order_;
  std::string_view name_;
};
struct NormOptions {
  NormOrder ord;
  Axes axis;  // unset: all, where x is a vector or a matrix, or ord is unset
  bool keepdims = false;
};
/// The norm of vectors (one axis) or matrices (two). Throws ValueError for an
/// order that they do not have.
Tensor norm(const Arg& x, const NormOptions& options = {});

}  // namespace systolic
