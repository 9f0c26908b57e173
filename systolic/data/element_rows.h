// Rows of numbers or strings, spans and std::arrays as elements:
//   Dataset::from_tensor_slices(std::array{1, 2, 3})
// Included by element.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/data/element_traits.h"

namespace systolic::data {
namespace detail {

// Throws ShapeError: two rows have `first` and `other` values.
[[noreturn]] void throw_unequal_rows(size_t first, size_t other);

}  // namespace detail

// Rows of one length are an Array with two axes.
template <class T>
requires systolic::ArrayElement<T>
struct ElementTraits<std::vector<std::vector<T>>> {
  static Element to_element(const std::vector<std::vector<T>>& rows) {
    const Shape shape{static_cast<int64_t>(rows.size()),
                      static_cast<int64_t>(rows.empty() ? 0 : rows[0].size())};
    std::vector<T> all;
    for (const std::vector<T>& row : rows) {
      if (row.size() != rows[0].size()) {
        detail::throw_unequal_rows(rows[0].size(), row.size());
      }
      all.insert(all.end(), row.begin(), row.end());
    }
    if constexpr (std::is_same_v<T, std::string>) {
      return Element(Array::from_strings(std::move(all), shape));
    } else {
      return Element(Array::from(all, shape));
    }
  }
  static ElementSpec spec() { return ElementSpec::any_array(); }
};

template <class T, size_t N>
requires systolic::ArrayElement<std::remove_cv_t<T>>
struct ElementTraits<std::span<T, N>> {
  static Element to_element(std::span<T, N> values) {
    return Element(
        std::vector<std::remove_cv_t<T>>(values.begin(), values.end()));
  }
  static ElementSpec spec() { return ElementSpec::any_array(); }
};

template <class T, size_t N>
requires systolic::ArrayElement<T>
struct ElementTraits<std::array<T, N>> {
  static Element to_element(const std::array<T, N>& values) {
    return Element(std::vector<T>(values.begin(), values.end()));
  }
  static ElementSpec spec() { return ElementSpec::any_array(); }
};

}  // namespace systolic::data
