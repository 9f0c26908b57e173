// A number of units is a whole number: 4.5 would silently become 4.
// first: here: no matching function for call to 'systolic::layers::Dense::Dense\(
#include "systolic/layers/core/dense.h"

int main() {
#ifdef SYSTOLIC_FIXED
  systolic::layers::Dense(4);
#else
  systolic::layers::Dense(4.5);  // here
#endif
}
