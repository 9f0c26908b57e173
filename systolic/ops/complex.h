// Complex numbers: made from their parts, and taken apart.
//
//   Tensor z = complex(x, y);           // complex64
//   Tensor size = abs(z * conj(z));     // float32
//
// Arithmetic, exp, log, matmul, sum ... take them as they take real numbers;
// what needs an order (<, max, sort, floor) refuses them.
#pragma once

#include "systolic/array/complex.h"
#include "systolic/graph/arg.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/graph/tensor.h"

namespace systolic {

/// real + i imag, broadcast: complex128 where one of them is float64, else
/// complex64. Throws TypeError for complex parts.
Tensor complex(const Arg& real, const Arg& imag);
/// The real part, of the parts' dtype; of real numbers, themselves.
Tensor real(const Arg& x);
/// The imaginary part, of the parts' dtype; of real numbers, zeros.
Tensor imag(const Arg& x);
/// The conjugate; of real numbers, themselves.
Tensor conj(const Arg& x);
/// Keras's other name of conj.
using internal::graph::conjugate;
/// The angle in radians, from -pi to pi, of the parts' dtype.
Tensor angle(const Arg& x);

}  // namespace systolic
