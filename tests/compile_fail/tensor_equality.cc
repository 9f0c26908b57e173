// Whether two Tensors are equal is a Tensor of truth values.
// first: here: no match for 'operator==' \(operand types are 'const
#include "systolic/ops/ops.h"

bool same(const systolic::Tensor& x, const systolic::Tensor& y) {
#ifdef SYSTOLIC_FIXED
  return systolic::all(equal(x, y)).item<bool>();
#else
  return x == y;  // here
#endif
}
