// Reductions of host arrays over one, several or all axes.
//   sum(x, {.axis = 0});  mean(x, {.axis = -1, .keepdims = true});  max(x);
// Result dtypes are Keras's; sums are kept in a wider type meanwhile.
#pragma once

#include "systolic/array/array.h"
#include "systolic/array/axes.h"

namespace systolic {

// The sum; narrow integers and bool widen to int32 or uint32.
Array sum(const Array& x, const ReduceOptions& options = {});
// The product; dtypes as sum.
Array prod(const Array& x, const ReduceOptions& options = {});
// The mean; float32 for integers and bool, NaN over no elements.
Array mean(const Array& x, const ReduceOptions& options = {});
// The greatest element, of the same dtype; NaN where one is NaN.
// Throws: ValueError over no elements.
Array max(const Array& x, const ReduceOptions& options = {});
// The least element, of the same dtype; NaN where one is NaN.
// Throws: ValueError over no elements.
Array min(const Array& x, const ReduceOptions& options = {});
// True where any element is not zero.
Array reduce_any(const Array& x, const ReduceOptions& options = {});
Array any(const Array& x, const ReduceOptions& options = {});
// True where every element is not zero; also spelt all(x, ...).
Array reduce_all(const Array& x, const ReduceOptions& options = {});
// The int32 position of the greatest element, the first of equals; a NaN
// counts as greatest. Throws ValueError over no elements.
Array argmax(const Array& x, const ArgReduceOptions& options = {});
// The int32 position of the least element, as argmax.
Array argmin(const Array& x, const ArgReduceOptions& options = {});

// True where the shapes agree and every pair is within
// atol + rtol * |b|; NaNs are equal only on request.
struct AllcloseOptions {
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;
};
bool allclose(const Array& a, const Array& b,
              const AllcloseOptions& options = {});
// True where shapes and elements agree; dtypes may differ.
bool array_equal(const Array& a, const Array& b);

}  // namespace systolic
