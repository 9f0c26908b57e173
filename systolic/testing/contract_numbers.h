// The numbers that the op contract is checked with: inputs, directions, weights
// and sums that tell every element from every other.
#pragma once

#include "systolic/array/array.h"
#include "systolic/graph/tensor.h"

namespace systolic::contracts {

// Numbers that have nothing to do with each other, of size 0.5 ... 1.5:
// float64, or complex128 with both parts so.
Array weights(const TensorSpec& spec, int salt);

// Real x with imaginary parts of size 0.125 ... 0.375.
Array with_imaginary(const Array& x, int salt);

// float64 or complex128, whichever holds x.
Array widest(const Array& x);

// The sum of products, both parts of complex numbers by themselves: how much
// a target moves whose gradient is `a` when its input moves by `b`.
double inner(const Array& a, const Array& b);

// inner(x, weights(x, salt)), recorded; of x's dtype, or that of its parts.
Tensor weighted(const Tensor& x, int salt);

}  // namespace systolic::contracts
