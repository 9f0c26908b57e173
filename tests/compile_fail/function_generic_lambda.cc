// A generic lambda has no types that a signature could go by.
// first: systolic/graph/function.h: static assertion failed: the function has no typed parameters: a generic lambda \(auto\)
// error: \[\]\(Tensor x, int n\)
#include "systolic/graph/function.h"

int main() {
#ifdef SYSTOLIC_FIXED
  systolic::function([](systolic::Tensor x) { return x; });
#else
  systolic::function([](auto x) { return x; });  // here
#endif
}
