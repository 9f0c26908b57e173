// More arithmetic, element by element: remainders, roots, limits, tests.
//
//   Tensor length = hypot(x, y);
//   Tensor safe = divide_no_nan(sum, count);
//
// Operands are as in math.h.
#pragma once

#include <optional>
#include <vector>

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic {

/// Keras's and TensorFlow's other names of abs, negative, divide, power, mod.
Tensor absolute(const Arg& x);
Tensor true_divide(const Arg& x, const Arg& y);
Tensor pow(const Arg& x, const Arg& y);
Tensor floormod(const Arg& x, const Arg& y);
Tensor remainder(const Arg& x, const Arg& y);

/// Remainder with the sign of x, as C's; TensorFlow's truncatemod.
Tensor fmod(const Arg& x, const Arg& y);
Tensor truncatemod(const Arg& x, const Arg& y);
/// x / y rounded towards zero, of the same dtype.
Tensor truncatediv(const Arg& x, const Arg& y);
/// x / y, and 0 where y is 0.
Tensor divide_no_nan(const Arg& x, const Arg& y);
/// x * y, and 0 where y is 0, even if x is infinite or NaN.
Tensor multiply_no_nan(const Arg& x, const Arg& y);
/// (x - y) squared.
Tensor squared_difference(const Arg& x, const Arg& y);
/// x * log(y), and 0 where x is 0.
Tensor xlogy(const Arg& x, const Arg& y);
/// x * log1p(y), and 0 where x is 0.
Tensor xlog1py(const Arg& x, const Arg& y);
/// sqrt(x * x + y * y), without overflow.
Tensor hypot(const Arg& x, const Arg& y);
/// log(exp(x) + exp(y)), without overflow.
Tensor logaddexp(const Arg& x, const Arg& y);
/// log2(2 to the x + 2 to the y), without overflow.
Tensor logaddexp2(const Arg& x, const Arg& y);
/// 0 where x < 0, 1 where x > 0, `y` where x is 0.
Tensor heaviside(const Arg& x, const Arg& y);
/// The next number from x towards y.
Tensor nextafter(const Arg& x, const Arg& y);
/// x times 2 to the whole number y.
Tensor ldexp(const Arg& x, const Arg& y);
/// |x| with the sign of y.
Tensor copysign(const Arg& x, const Arg& y);
/// The greatest common divisor and the least common multiple of integers.
Tensor gcd(const Arg& x, const Arg& y);
Tensor lcm(const Arg& x, const Arg& y);

/// 2 to the power x.
Tensor exp2(const Arg& x);
/// Logarithms to base 2 and 10.
Tensor log2(const Arg& x);
Tensor log10(const Arg& x);
/// log(x / (1 - x)): the inverse of sigmoid.
Tensor logit(const Arg& x);
/// Cube root, of negative numbers too.
Tensor cbrt(const Arg& x);
/// Rounded towards zero.
Tensor trunc(const Arg& x);
/// To the nearest integer, halves to even; floating-point.
Tensor rint(const Arg& x);
/// Whether the sign is negative: of -0 too.
Tensor signbit(const Arg& x);

/// Whether each value is NaN; infinite; infinity; minus infinity.
Tensor isnan(const Arg& x);
Tensor isinf(const Arg& x);
Tensor isposinf(const Arg& x);
Tensor isneginf(const Arg& x);

struct IscloseOptions {
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;
};
/// Whether |x - y| <= atol + rtol * |y|, element by element.
Tensor isclose(const Arg& x, const Arg& y, const IscloseOptions& options = {});

struct NanToNumOptions {
  double nan = 0;
  // Unset: the dtype's largest and lowest number.
  std::optional<double> posinf = {};
  std::optional<double> neginf = {};
};
/// x with numbers for what is none.
Tensor nan_to_num(const Arg& x, const NanToNumOptions& options = {});

/// TensorFlow's name of clip.
Tensor clip_by_value(const Arg& x, const Arg& clip_value_min,
                     const Arg& clip_value_max);

/// The element of the first choice whose condition holds, else `default_`.
/// Throws ValueError unless there are as many choices as conditions.
Tensor select(const std::vector<Tensor>& condlist,
              const std::vector<Tensor>& choicelist, const Arg& default_ = 0);

}  // namespace systolic
