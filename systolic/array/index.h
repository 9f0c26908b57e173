// Basic indexing as in NumPy, for Array and Tensor.
//   x[{0, all, Slice(1, 5)}];  x[{ellipsis, newaxis}];  x[{Slice({}, {}, -1)}]
// resolve_indices turns it into starts, steps and shapes.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "systolic/array/axes.h"
#include "systolic/array/shape.h"
#include "systolic/base/error.h"

namespace systolic {

// A range of an axis: Python's start:stop:step, each may be left out as {}.
struct Slice {
  std::optional<int64_t> start;
  std::optional<int64_t> stop;
  std::optional<int64_t> step;

  // The whole axis, ":".
  constexpr Slice() = default;
  // The first `stop` elements, ":stop".
  constexpr explicit Slice(std::optional<int64_t> stop) : stop(stop) {}
  // "start:stop" or "start:stop:step"; {} leaves a part out.
  constexpr Slice(std::optional<int64_t> start, std::optional<int64_t> stop,
                  std::optional<int64_t> step = {})
      : start(start), stop(stop), step(step) {}

  bool operator==(const Slice&) const = default;
};

// The type of `all`.
struct All {
  // all(x, {.axis = 1}): true where every element is; same as reduce_all.
  template <class X>
  auto operator()(const X& x, const ReduceOptions& options = {}) const {
    return reduce_all(x, options);
  }
};
// As an index the whole axis, ":"; as a function the reduction.
inline constexpr All all;

// The type of `ellipsis`.
struct Ellipsis {};
// As many whole axes as are missing, "...".
inline constexpr Ellipsis ellipsis;

// The type of `newaxis`.
struct NewAxis {};
// A new axis of size 1.
inline constexpr NewAxis newaxis;

// One entry of an index: an integer, Slice, all, ellipsis or newaxis. It knows
// the line where it was written, for error messages.
class Index {
 public:
  enum class Kind : uint8_t { integer, slice, ellipsis, newaxis };

  template <std::integral T>
  requires(!std::same_as<T, bool>) constexpr Index(
      T position, SourceLocation where = SourceLocation::current())
      : kind_(Kind::integer),
        position_(static_cast<int64_t>(position)),
        where_(where) {}
  constexpr Index(Slice slice, SourceLocation where = SourceLocation::current())
      : kind_(Kind::slice), slice_(slice), where_(where) {}
  constexpr Index(All, SourceLocation where = SourceLocation::current())
      : kind_(Kind::slice), where_(where) {}
  constexpr Index(Ellipsis, SourceLocation where = SourceLocation::current())
      : kind_(Kind::ellipsis), where_(where) {}
  constexpr Index(NewAxis, SourceLocation where = SourceLocation::current())
      : kind_(Kind::newaxis), where_(where) {}

  constexpr Kind kind() const { return kind_; }
  // The integer; 0 for other kinds.
  constexpr int64_t position() const { return position_; }
  // The range; the whole axis for other kinds.
  constexpr const Slice& slice() const { return slice_; }
  // Where it was written.
  constexpr const SourceLocation& where() const { return where_; }
  // As written in Python: "3", "1:5", "::-1", "...", "None".
  std::string to_string() const;

 private:
  Kind kind_;
  int64_t position_ = 0;
  Slice slice_;
  SourceLocation where_;
};

// A whole index, written as a brace list: x[{0, all}].
using Indices = std::initializer_list<Index>;

// An index applied to a shape. Element j of axis a of the slice is element
// starts[a] + j * steps[a] of the input.
struct ResolvedIndices {
  std::array<int64_t, kMaxRank> starts{};
  std::array<int64_t, kMaxRank> steps{};
  Shape sliced;  // the input's rank: how many elements of each axis
  Shape result;  // integer axes dropped, new axes put in
};

// Applies an index to a shape, whose sizes are all known.
// Throws: OutOfRangeError naming axis, index and size for an integer outside
// its axis; ValueError for too many indices, two ellipses or a step of 0.
ResolvedIndices resolve_indices(const Shape& shape,
                                std::span<const Index> indices,
                                std::string_view who = "index");

}  // namespace systolic
