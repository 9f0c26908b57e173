// Products of vectors, matrices and Tensors, by NumPy's names.
//
//   Tensor y = tensordot(a, b, {.axes = 1});
#pragma once

#include <utility>
#include <vector>

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic {

/// Operands of matmul taken transposed or (complex ones) adjoint: the last two
/// axes change places.
struct MatmulOptions {
  bool transpose_a = false;
  bool transpose_b = false;
  bool adjoint_a = false;
  bool adjoint_b = false;
};
/// TensorFlow's matmul with its arguments; shapes as matmul.
Tensor matmul(const Arg& a, const Arg& b, const MatmulOptions& options);

/// The axes that tensordot sums over: the last n of the first operand and the
/// first n of the second, or pairs of axes.
class TensordotAxes {
 public:
  TensordotAxes(int count) : count_(count) {}
  TensordotAxes(std::vector<int> x1, std::vector<int> x2)
      : x1_(std::move(x1)), x2_(std::move(x2)) {}
  int count() const { return count_; }
  const std::vector<int>& x1() const { return x1_; }
  const std::vector<int>& x2() const { return x2_; }

 private:
  int count_ = -1;
  std::vector<int> x1_, x2_;
};
struct TensordotOptions {
  TensordotAxes axes = 2;
};
/// The sum of products over pairs of axes. Shapes: the other axes of x1, then
/// those of x2.
Tensor tensordot(const Arg& x1, const Arg& x2,
                 const TensordotOptions& options = {});

/// NumPy's dot: of vectors a number, of matrices their product; else over the
/// last axis of x1 and the last but one of x2.
Tensor dot(const Arg& x1, const Arg& x2);
/// The sum of the products of all elements, both flattened.
Tensor vdot(const Arg& x1, const Arg& x2);
/// The sum of products over the last axes.
Tensor inner(const Arg& x1, const Arg& x2);
/// The products of all pairs of elements, both flattened: a matrix.
Tensor outer(const Arg& x1, const Arg& x2);
/// The Kronecker product. Shapes: the sizes multiply, axis by axis.
Tensor kron(const Arg& x1, const Arg& x2);
/// The cross product of vectors of 3 (or 2: then a number) along the last
/// axis. Throws ShapeError for other sizes.
Tensor cross(const Arg& x1, const Arg& x2);

}  // namespace systolic
