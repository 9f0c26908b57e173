// What a function given to flat_map returns must be a data set.
// first: systolic/data/function.h: static assertion failed: the function returns a data::Dataset
#include "systolic/data/dataset.h"

using systolic::data::Dataset;

int main() {
#ifdef SYSTOLIC_FIXED
  Dataset::range(3).flat_map([](int64_t x) { return Dataset::range(x); });
#else
  Dataset::range(3).flat_map([](int64_t x) { return x; });  // here
#endif
}
