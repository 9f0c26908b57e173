// Elements are shared between passes, so nobody may write to one in place.
// first: systolic/data/function.h: static assertion failed: elements are shared between passes: take a parameter by value or by const reference
#include "systolic/data/dataset.h"

int main() {
#ifdef SYSTOLIC_FIXED
  systolic::data::Dataset::range(3).map(
      [](const systolic::Array& x) { return x; });
#else
  systolic::data::Dataset::range(3).map(  // here
      [](systolic::Array& x) { return x; });
#endif
}
