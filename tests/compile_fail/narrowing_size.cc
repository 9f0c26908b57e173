// A size is a whole number: 2.5 would silently become 2.
// first: here: narrowing conversion of '2.5e\+0' from 'double' to 'long int'
#include "systolic/layers/core/dense.h"

int main() {
#ifdef SYSTOLIC_FIXED
  systolic::layers::Dense(4, {.input_shape = {2}});
#else
  systolic::layers::Dense(4, {.input_shape = {2.5}});  // here
#endif
}
