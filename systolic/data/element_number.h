// One number of an element. Included by element_traits.h.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "systolic/array/array.h"

namespace systolic::data::detail {

// Throws ValueError: the integer in `array` is none of `wanted`.
[[noreturn]] void throw_does_not_fit(const Array& array, DType wanted);

// The number that `array` holds as a T. Throws ValueError for an integer that
// does not fit, and as Array::item().
template <class T>
T single_number(const Array& array) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const bool differs = array.is_set() && array.dtype() != dtype_of<T>;
    if (differs && is_integer(array.dtype())) {
      const auto value = array.template item<int64_t>();
      const bool is_larger = array.dtype() == DType::uint64 && value < 0;
      if (is_larger || !std::in_range<T>(value)) {
        throw_does_not_fit(array, dtype_of<T>);
      }
      return static_cast<T>(value);
    }
  }
  return array.template item<T>();
}

}  // namespace systolic::data::detail
