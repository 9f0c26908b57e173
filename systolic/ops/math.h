// Elementwise ops: arithmetic, comparison, logic, functions of one value.
//
//   Tensor y = maximum(x * 2.f + bias, 0);
//
// Operands are Tensors, Variables, Arrays or C++ scalars; shapes broadcast
// and dtypes promote as in Keras 3.
#pragma once

#include "systolic/array/elementwise.h"
#include "systolic/array/unary.h"
#include "systolic/graph/arg.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/graph/tensor.h"
#include "systolic/graph/variable.h"

namespace systolic {

/// x + y; x - y; -x; `x` repeated to a shape; the value, with no gradient
/// through it.
using internal::graph::add;
using internal::graph::broadcast_to;
using internal::graph::negative;
using internal::graph::stop_gradient;
using internal::graph::subtract;
/// x * y.
Tensor multiply(const Arg& x, const Arg& y);
/// x / y; integers give float32.
Tensor divide(const Arg& x, const Arg& y);
/// x / y rounded down.
Tensor floor_divide(const Arg& x, const Arg& y);
/// Remainder with the sign of y.
Tensor mod(const Arg& x, const Arg& y);
/// x to the power y.
Tensor power(const Arg& x, const Arg& y);
/// The larger of x and y; NaN if one is NaN.
Tensor maximum(const Arg& x, const Arg& y);
/// The smaller of x and y; NaN if one is NaN.
Tensor minimum(const Arg& x, const Arg& y);

/// As add, subtract, multiply, divide, mod and negative.
Tensor operator+(const Arg& x, const Arg& y);
Tensor operator-(const Arg& x, const Arg& y);
Tensor operator*(const Arg& x, const Arg& y);
Tensor operator/(const Arg& x, const Arg& y);
Tensor operator%(const Arg& x, const Arg& y);
Tensor operator-(const Arg& x);

/// Comparisons give bool.
Tensor equal(const Arg& x, const Arg& y);
/// Whether x and y differ; NaN differs from itself.
Tensor not_equal(const Arg& x, const Arg& y);
/// Whether x < y.
Tensor less(const Arg& x, const Arg& y);
/// Whether x <= y.
Tensor less_equal(const Arg& x, const Arg& y);
/// Whether x > y.
Tensor greater(const Arg& x, const Arg& y);
/// Whether x >= y.
Tensor greater_equal(const Arg& x, const Arg& y);

/// As less, less_equal, greater and greater_equal.
Tensor operator<(const Arg& x, const Arg& y);
Tensor operator<=(const Arg& x, const Arg& y);
Tensor operator>(const Arg& x, const Arg& y);
Tensor operator>=(const Arg& x, const Arg& y);

/// Logic on truth values; numbers count as true unless zero.
Tensor logical_and(const Arg& x, const Arg& y);
/// Whether at least one is true.
Tensor logical_or(const Arg& x, const Arg& y);
/// Whether exactly one is true.
Tensor logical_xor(const Arg& x, const Arg& y);
/// Whether x is false.
Tensor logical_not(const Arg& x);

/// Elements of x where `condition` holds, else of y.
Tensor where(const Arg& condition, const Arg& x, const Arg& y);

/// The values as another dtype.
Tensor cast(const Arg& x, DType dtype);
/// The values as the dtype of T.
template <ArrayElement T>
Tensor cast(const Tensor& x) {
  return cast(x, dtype_of<T>);
}

/// x limited to [x_min, x_max].
Tensor clip(const Arg& x, const Arg& x_min, const Arg& x_max);

/// Functions of one value. Integers become float32 where the result is real.
Tensor abs(const Arg& x);
/// -1, 0 or 1; of complex numbers, x / |x|.
Tensor sign(const Arg& x);
/// x * x.
Tensor square(const Arg& x);
/// Square root; NaN below 0.
Tensor sqrt(const Arg& x);
/// 1 / sqrt(x).
Tensor rsqrt(const Arg& x);
/// 1 / x.
Tensor reciprocal(const Arg& x);
/// e to the power x.
Tensor exp(const Arg& x);
/// exp(x) - 1, exact near 0.
Tensor expm1(const Arg& x);
/// Natural logarithm; NaN below 0.
Tensor log(const Arg& x);
/// log(1 + x), exact near 0.
Tensor log1p(const Arg& x);
/// Sine of radians.
Tensor sin(const Arg& x);
/// Cosine of radians.
Tensor cos(const Arg& x);
/// Hyperbolic tangent.
Tensor tanh(const Arg& x);
/// 1 / (1 + exp(-x)).
Tensor sigmoid(const Arg& x);
/// Error function.
Tensor erf(const Arg& x);
/// Inverse of erf, for x in (-1, 1).
Tensor erfinv(const Arg& x);
/// Rounded down.
Tensor floor(const Arg& x);
/// Rounded up.
Tensor ceil(const Arg& x);
/// To the nearest integer, halves to even.
Tensor round(const Arg& x);
/// Whether each value is neither infinite nor NaN.
Tensor isfinite(const Arg& x);

}  // namespace systolic
