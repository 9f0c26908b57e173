// The parts of complex host arrays.
//   Array z = complex(Array::from({1.f}), Array::from({-2.f}));   // [1.-2.j]
//   Array r = real(z), i = imag(z);                 // float32
// Arithmetic, exp, log, sums ... are those of every Array.
#pragma once

#include "systolic/array/array.h"

namespace systolic {

// real + i imag, broadcast: complex128 where one of them is float64, else
// complex64. Throws TypeError for complex parts.
Array complex(const Array& real, const Array& imag);
// The real part, of the parts' dtype; of real numbers, themselves.
Array real(const Array& x);
// The imaginary part, of the parts' dtype; of real numbers, zeros.
Array imag(const Array& x);
// The conjugate, of the same dtype; of real numbers, themselves.
Array conj(const Array& x);
// The angle in radians, -pi ... pi, of the parts' dtype.
Array angle(const Array& x);

namespace internal {

// The absolute values of complex x, of the parts' dtype.
Array magnitude(const Array& x);

}  // namespace internal
}  // namespace systolic
