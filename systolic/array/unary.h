// Maths of one host array, element by element.
//   Array y = sqrt(abs(x));  Array b = cast<float>(image) / 255.f;
// Functions with a real result give float32 for integers and bool.
#pragma once

#include "systolic/array/array.h"
#include "systolic/array/cast.h"

namespace systolic {

// -x. Throws TypeError for bool.
Array negative(const Array& x);
Array operator-(const Array& x);
// |x|, of the same dtype; of complex numbers, of their parts' dtype.
Array abs(const Array& x);
// -1, 0 or 1 (NaN stays), of the same dtype; of complex numbers, x / |x|.
Array sign(const Array& x);
// x * x, of the same dtype.
Array square(const Array& x);
// max(x, 0), of the same dtype.
Array relu(const Array& x);
// The nearest integer, ties to even, of the same dtype.
Array round(const Array& x);

// The integer below or above.
Array floor(const Array& x);
Array ceil(const Array& x);
Array exp(const Array& x);
// exp(x) - 1, exact near zero.
Array expm1(const Array& x);
Array log(const Array& x);
// log(1 + x), exact near zero.
Array log1p(const Array& x);
Array sqrt(const Array& x);
// 1 / sqrt(x).
Array rsqrt(const Array& x);
Array sin(const Array& x);
Array cos(const Array& x);
Array tanh(const Array& x);
// 1 / (1 + exp(-x)), without overflow.
Array sigmoid(const Array& x);

// True where x is zero.
Array logical_not(const Array& x);

}  // namespace systolic
