// An axis is a whole number.
// first: here: no matching function for call to 'sum\(const systolic::Tensor&, <brace-enclosed initializer list>\)'
// error: ReduceOptions
#include "systolic/ops/ops.h"

systolic::Tensor total(const systolic::Tensor& x) {
#ifdef SYSTOLIC_FIXED
  return systolic::sum(x, {.axis = 1});
#else
  return systolic::sum(x, {.axis = 0.5});  // here
#endif
}
