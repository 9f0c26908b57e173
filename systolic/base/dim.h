// Dim: a size or count as a parameter: any whole number.
//   explicit Dense(Dim units);
//   Dense(10); Dense(names.size());
// An int64_t would take 4.5, too, and silently make it 4.
#pragma once

#include <concepts>
#include <cstdint>

namespace systolic {

class Dim {
 public:
  // A whole number; neither a bool nor a floating-point number converts.
  template <std::integral Int>
  requires(!std::same_as<Int, bool>) constexpr Dim(Int value)  // NOLINT
      : value_(static_cast<int64_t>(value)) {}

  constexpr operator int64_t() const { return value_; }  // NOLINT

 private:
  int64_t value_;
};

}  // namespace systolic
