// A generic lambda cannot be matched with a data set's elements.
// error: no typed parameters: a generic lambda \(auto\)
// error: \[\]\(Array image, Array label\)
#include "systolic/data/dataset.h"

int main() {
  systolic::data::Dataset::range(3).map([](auto x) { return x; });
}
