// Text of arrays, as NumPy prints them.
//   array_to_string(x, {.precision = 3});
// Array::to_string and Array::repr use the defaults.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/array/array.h"

namespace systolic {

// NumPy's printing options, with its defaults.
struct PrintOptions {
  int precision = 8;         // digits after the point, at most
  int64_t threshold = 1000;  // more elements than this are summarised
  int64_t edgeitems = 3;     // elements shown at each end then
  int linewidth = 75;        // columns
};

// As NumPy's str(), for example "[[22. 28.]\n [49. 64.]]".
std::string array_to_string(const Array& x, const PrintOptions& options = {});

// As NumPy's repr(), for example "array([1, 2], dtype=int32)".
std::string array_repr(const Array& x, const PrintOptions& options = {});

}  // namespace systolic
