// The global batch size where sample weights go: it would multiply the loss.
// first: here: use of deleted function 'systolic::Tensor systolic::losses::Loss::operator\(\)\(.*, Count\) const
#include "systolic/losses/losses.h"

systolic::Tensor mean(const systolic::losses::Loss& loss,
                      const systolic::Tensor& y) {
#ifdef SYSTOLIC_FIXED
  return loss(y, y);
#else
  return loss(y, y, 64);  // here
#endif
}
