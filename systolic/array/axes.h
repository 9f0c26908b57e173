// The axes that an operation works on: one, several, or all when unset.
//   sum(x, {.axis = 0});  sum(x, {.axis = {0, -1}});  sum(x);
// Negative axes count from the end.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/array/shape.h"

namespace systolic {

// A small list of axis numbers, or unset. Holds them without allocation.
class Axes {
 public:
  // Unset: each operation says what that means (most often all axes).
  Axes() = default;
  // One axis. A template, so that 0.5 is none.
  template <std::integral Int>
  Axes(Int axis) : Axes({static_cast<int>(axis)}) {}
  // Several axes. Throws ValueError past kMaxRank of them.
  Axes(std::initializer_list<int> axes)
      : Axes(std::span<const int>(axes.begin(), axes.size())) {}
  Axes(const std::vector<int>& axes) : Axes(std::span<const int>(axes)) {}
  explicit Axes(std::span<const int> axes);

  bool is_set() const { return count_ >= 0; }
  // The number of axes; 0 when unset.
  int size() const { return count_ < 0 ? 0 : count_; }
  int operator[](int i) const { return axes_[static_cast<size_t>(i)]; }
  const int* begin() const { return axes_.data(); }
  const int* end() const { return axes_.data() + size(); }
  // True where `axis` is in the list, as written.
  bool contains(int axis) const;
  bool operator==(const Axes&) const = default;

  // The axes as 0 ... rank-1 in rising order; all of them when unset.
  // Throws: OutOfRangeError naming `who` for an axis that is not there,
  // ValueError for one named twice.
  Axes resolve(int rank, std::string_view who) const;
  // As resolve, but keeps the order given; for transpose.
  Axes resolve_in_order(int rank, std::string_view who) const;

  // "None", "1" or "(0, 1)".
  std::string to_string() const;

 private:
  int count_ = -1;
  std::array<int, kMaxRank> axes_{};
};

// `axis` as 0 ... rank-1.
// Throws: OutOfRangeError naming `who`, the axis and the rank.
int resolve_axis(int axis, int rank, std::string_view who);

// The options of sum, mean, max, min, prod, any and all.
struct ReduceOptions {
  Axes axis;              // unset: over all axes
  bool keepdims = false;  // keep the reduced axes with size 1

  bool operator==(const ReduceOptions&) const = default;
};

// The options of argmax and argmin.
struct ArgReduceOptions {
  std::optional<int> axis;  // unset: over the flattened input
  bool keepdims = false;    // keep the reduced axis with size 1

  bool operator==(const ArgReduceOptions&) const = default;
};

// The shape of a reduction over `axes` of `shape`.
// Throws: OutOfRangeError naming `who` for an axis that is not there.
Shape reduced_shape(const Shape& shape, const ReduceOptions& options,
                    std::string_view who);

}  // namespace systolic
