// What else a layer has are options with names: no true or false without one.
// first: here: no matching function for call to 'systolic::layers::Dense::Dense\(int, bool\)'
#include "systolic/layers/core/dense.h"

int main() {
#ifdef SYSTOLIC_FIXED
  systolic::layers::Dense(4, {.use_bias = false});
#else
  systolic::layers::Dense(4, false);  // here
#endif
}
