// What the loops over elements share inside the room: checks, and walks over
// rows of strided operands. A C++ type from a DType: dispatch.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "systolic/array/array.h"
#include "systolic/array/dispatch.h"

namespace systolic::internal {

// Distances between neighbours along each axis, in elements.
using Strides = std::array<int64_t, kMaxRank>;

// The strides of elements in row-major order without gaps.
Strides row_major_strides(const Shape& shape);

// The strides that read elements of shape `from` as if it were `to`.
Strides broadcast_strides(const Shape& from, const Shape& to);

// The elements at `first`, first + strides ..., as an array of its own.
Array materialize(const std::byte* first, DType dtype, const Shape& shape,
                  const Strides& strides);

// Throws ValueError naming `who` for an Array that was never assigned.
void require_set(const Array& x, const char* who);

// Throws TypeError naming `who` for an array of strings.
void require_numbers(const Array& x, const char* who);

// Throws TypeError naming `who` for strings and for complex numbers.
void require_real(const Array& x, const char* who);

// Throws TypeError naming `who` for float8, which is storage.
void require_wider_than_float8(DType dtype, const char* who);

// A walk over the elements of a shape, in row-major order, with N operands.
template <size_t N>
struct Walk {
  int rank = 0;
  std::array<int64_t, kMaxRank> sizes{};
  std::array<Strides, N> strides{};
};

// Joins axes that are adjacent for all operands, so that rows are long.
template <size_t N>
Walk<N> make_walk(const Shape& shape, const std::array<Strides, N>& strides) {
  Walk<N> walk;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    size_t at = static_cast<size_t>(axis);
    int64_t size = shape.data()[axis];
    if (size == 1) continue;
    size_t last = static_cast<size_t>(walk.rank) - 1;
    bool joins = walk.rank > 0;
    for (size_t n = 0; n < N && joins; ++n) {
      joins = walk.strides[n][last] == strides[n][at] * size;
    }
    if (!joins) {
      ++last;
      ++walk.rank;
    }
    walk.sizes[last] = joins ? walk.sizes[last] * size : size;
    for (size_t n = 0; n < N; ++n) walk.strides[n][last] = strides[n][at];
  }
  return walk;
}

// Calls body(done, offsets, count, steps) for each row: `done` elements came
// before it; operand n's elements are at offsets[n] + i * steps[n].
template <size_t N, class Body>
void walk_rows(const Walk<N>& walk, Body&& body) {
  std::array<int64_t, N> offsets{};
  std::array<int64_t, N> steps{};
  if (walk.rank == 0) {
    body(int64_t{0}, offsets, int64_t{1}, steps);
    return;
  }
  size_t inner = static_cast<size_t>(walk.rank) - 1;
  int64_t count = walk.sizes[inner];
  for (size_t i = 0; i < inner; ++i) {
    if (walk.sizes[i] == 0) return;
  }
  if (count == 0) return;
  for (size_t n = 0; n < N; ++n) steps[n] = walk.strides[n][inner];
  std::array<int64_t, kMaxRank> position{};
  int64_t done = 0;
  while (true) {
    body(done, offsets, count, steps);
    done += count;
    size_t axis = inner;
    while (true) {
      if (axis == 0) return;
      --axis;
      for (size_t n = 0; n < N; ++n) offsets[n] += walk.strides[n][axis];
      if (++position[axis] < walk.sizes[axis]) break;
      for (size_t n = 0; n < N; ++n) {
        offsets[n] -= walk.strides[n][axis] * walk.sizes[axis];
      }
      position[axis] = 0;
    }
  }
}

}  // namespace systolic::internal
