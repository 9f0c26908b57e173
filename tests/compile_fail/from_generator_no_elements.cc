// What a generator returns must give elements.
// first: systolic/data/generator.h: static assertion failed: the generator returns a range of elements, or a function
#include "systolic/data/dataset.h"

using systolic::data::Dataset;

int main() {
#ifdef SYSTOLIC_FIXED
  Dataset::from_generator([] { return std::vector<int>{1, 2}; });
#else
  Dataset::from_generator([] { return 1; });  // here
#endif
}
