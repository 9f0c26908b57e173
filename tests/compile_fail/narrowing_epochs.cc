// A number of epochs is a whole number, also when it is written as 1e3.
// first: here: narrowing conversion of '1.0e\+3' from 'double' to 'int'
#include "systolic/systolic.h"

void train(systolic::models::Sequential model, systolic::Array x) {
#ifdef SYSTOLIC_FIXED
  model.fit(x, x, {.epochs = 1'000});
#else
  model.fit(x, x, {.epochs = 1e3});  // here
#endif
}
