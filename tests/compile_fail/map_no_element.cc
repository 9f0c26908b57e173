// What a function given to map returns must be an element.
// first: systolic/data/function.h: static assertion failed: the function's result is no element
#include "systolic/data/dataset.h"

struct Mine {};

int main() {
#ifdef SYSTOLIC_FIXED
  systolic::data::Dataset::range(3).map([](systolic::Array x) { return x; });
#else
  systolic::data::Dataset::range(3).map(  // here
      [](systolic::Array) { return Mine(); });
#endif
}
