// A number for each axis that a window moves along, or one for all of them.
//
//   nn::conv(x, kernel, {.strides = 2});
//   nn::conv(x, kernel, {.strides = {2, 1}});
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace systolic::nn {

class PerAxis {
 public:
  /// The same along each axis.
  template <std::integral Int>
  PerAxis(Int value) : values_{static_cast<int64_t>(value)} {}
  /// One for each axis, first to last.
  PerAxis(std::initializer_list<int64_t> values) : values_(values) {}
  PerAxis(std::vector<int64_t> values) : values_(std::move(values)) {}
  template <size_t N>
  PerAxis(const std::array<int64_t, N>& values)
      : values_(values.begin(), values.end()) {}

  /// The number for the i-th axis.
  template <std::integral Int>
  int64_t operator[](Int i) const {
    return values_.size() == 1 ? values_[0]
                               : values_.at(static_cast<size_t>(i));
  }

  /// Whether there is one for each of so many axes.
  bool fits(int axes) const {
    return values_.size() == 1 || values_.size() == static_cast<size_t>(axes);
  }
  /// How many are given.
  int size() const { return static_cast<int>(values_.size()); }

 private:
  std::vector<int64_t> values_;
};

}  // namespace systolic::nn
