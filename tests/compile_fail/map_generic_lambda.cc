// A generic lambda cannot be matched with a data set's elements.
// first: systolic/data/function.h: static assertion failed: the function has no typed parameters: a generic lambda \(auto\)
// error: \[\]\(Array image, Array label\)
#include "systolic/data/dataset.h"

int main() {
#ifdef SYSTOLIC_FIXED
  systolic::data::Dataset::range(3).map([](systolic::Array x) { return x; });
#else
  systolic::data::Dataset::range(3).map([](auto x) { return x; });  // here
#endif
}
