// A batch size that was divided as a double: it has to be made whole first.
// first: here: no matching function for call to 'systolic::models::Sequential::fit\(
// error: FitOptions
#include "systolic/systolic.h"

void train(systolic::models::Sequential model, systolic::Array x, double half) {
#ifdef SYSTOLIC_FIXED
  model.fit(x, x, {.batch_size = static_cast<int64_t>(64 * half)});
#else
  model.fit(x, x, {.batch_size = 64 * half});  // here
#endif
}
