// What a Tensor holds is not known where the program asks.
// first: here: could not convert .* from 'systolic::Tensor' to 'bool'
#include "systolic/ops/ops.h"

int sign(const systolic::Tensor& x) {
#ifdef SYSTOLIC_FIXED
  return (x > 0).item<bool>() ? 1 : -1;
#else
  return (x > 0) ? 1 : -1;  // here
#endif
}
