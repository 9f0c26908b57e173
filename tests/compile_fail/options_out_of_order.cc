// Options are named in the order of their declaration, which is Keras's.
// first: here: designator order for field '.*DenseOptions::activation' does not match declaration order in '.*DenseOptions'
#include "systolic/layers/core/dense.h"

using systolic::layers::Dense;

int main() {
#ifdef SYSTOLIC_FIXED
  Dense(4, {.activation = "relu", .use_bias = false});
#else
  Dense(4, {.use_bias = false, .activation = "relu"});  // here
#endif
}
