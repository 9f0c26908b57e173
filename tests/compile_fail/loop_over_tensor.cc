// A Tensor may have no elements yet: the host's Array is what has them.
// first: here: 'begin' was not declared in this scope
#include "systolic/ops/ops.h"

float total(const systolic::Tensor& x) {
  float sum = 0;
#ifdef SYSTOLIC_FIXED
  const systolic::Array values = x.numpy();
  for (float value : values.span<float>()) sum += value;
#else
  for (float value : x) sum += value;  // here
#endif
  return sum;
}
