// Special functions: of the error integral, gamma, beta and Bessel.
//
//   Tensor log_choose = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
//
// Names are TensorFlow's (tf.math) and Keras's. Integers become float32.
#pragma once

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic {

/// 1 - erf(x), exact where erf is near 1.
Tensor erfc(const Arg& x);
/// The normal distribution's cumulative function.
Tensor ndtr(const Arg& x);

/// Logarithm of |gamma(x)|.
Tensor lgamma(const Arg& x);
Tensor gammaln(const Arg& x);
/// The derivative of lgamma for x > 0; NaN at 0 and the negative integers.
Tensor digamma(const Arg& x);
/// The n-th derivative of digamma at x. n has no gradient.
Tensor polygamma(const Arg& n, const Arg& x);
/// The sum of (q + k) to the power -x over k = 0, 1, ... x has no gradient.
Tensor zeta(const Arg& x, const Arg& q);
/// log(|gamma(x) gamma(y) / gamma(x + y)|).
Tensor betaln(const Arg& x, const Arg& y);

/// The regularized lower and upper incomplete gamma functions P(a, x) and
/// Q(a, x) = 1 - P. The gradient of a is refused with an error.
Tensor igamma(const Arg& a, const Arg& x);
Tensor igammac(const Arg& a, const Arg& x);
/// The regularized incomplete beta function. The gradients of a and b are
/// refused with an error.
Tensor betainc(const Arg& a, const Arg& b, const Arg& x);

/// Modified Bessel functions of the first kind, orders 0 and 1; with "e",
/// times exp(-|x|).
Tensor bessel_i0(const Arg& x);
Tensor bessel_i1(const Arg& x);
Tensor bessel_i0e(const Arg& x);
Tensor bessel_i1e(const Arg& x);
/// NumPy's and Keras's name of bessel_i0.
Tensor i0(const Arg& x);

}  // namespace systolic
