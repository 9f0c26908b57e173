// What a function writes to through a reference would be written while it is
// recorded, and never again.
// first: systolic/graph/function.h: static assertion failed: a parameter of function\(\) is taken by value or const&
#include "systolic/graph/function.h"

int main() {
#ifdef SYSTOLIC_FIXED
  systolic::function([](systolic::Tensor x) { return x; });
#else
  systolic::function([](systolic::Tensor& x) { return x; });  // here
#endif
}
