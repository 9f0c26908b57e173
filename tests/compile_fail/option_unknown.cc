// An option that is not there; the answer lists what was expected.
// first: here: no matching function for call to 'systolic::layers::Dense::Dense\(int, <brace-enclosed initializer list>\)'
// error: DenseOptions
#include "systolic/layers/core/dense.h"

int main() {
#ifdef SYSTOLIC_FIXED
  systolic::layers::Dense(4, {.activation = "relu"});
#else
  systolic::layers::Dense(4, {.activations = "relu"});  // here
#endif
}
