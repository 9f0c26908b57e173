// Sample weights of fit are an Array with a weight for each row.
// first: here: no matching function for call to 'systolic::models::Sequential::fit\(
#include "systolic/systolic.h"

void train(systolic::models::Sequential model, systolic::Array x) {
#ifdef SYSTOLIC_FIXED
  model.fit(x, x, {.batch_size = 64});
#else
  model.fit(x, x, {.sample_weight = 64});  // here
#endif
}
