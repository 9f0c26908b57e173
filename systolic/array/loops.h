// What the loops over elements share inside the room: a C++ type from a DType,
// and walks over rows of strided operands.
//   dispatch_wide(x.dtype(), [&]<class T>(std::type_identity<T>) { ... });
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "systolic/array/array.h"

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

// The type that arithmetic is done in: narrow floats use float32.
constexpr DType wide_dtype(DType dtype) {
  return is_floating(dtype) && dtype != DType::float64 ? DType::float32 : dtype;
}

// Throws InternalError: a loop met a dtype that its caller excludes.
[[noreturn]] void throw_no_loop(DType dtype);

// Calls body(type_identity<T>) for bool, the integers, float and double.
template <class Body>
auto dispatch_wide(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::boolean:
      return body(std::type_identity<bool>());
    case DType::int8:
      return body(std::type_identity<int8_t>());
    case DType::int16:
      return body(std::type_identity<int16_t>());
    case DType::int32:
      return body(std::type_identity<int32_t>());
    case DType::int64:
      return body(std::type_identity<int64_t>());
    case DType::uint8:
      return body(std::type_identity<uint8_t>());
    case DType::uint16:
      return body(std::type_identity<uint16_t>());
    case DType::uint32:
      return body(std::type_identity<uint32_t>());
    case DType::uint64:
      return body(std::type_identity<uint64_t>());
    case DType::float32:
      return body(std::type_identity<float>());
    case DType::float64:
      return body(std::type_identity<double>());
    default:
      throw_no_loop(dtype);
  }
}

// Calls body(type_identity<T>) for the floats of one and two bytes.
template <class Body>
auto dispatch_narrow(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::float8_e4m3fn:
      return body(std::type_identity<float8_e4m3fn>());
    case DType::float8_e5m2:
      return body(std::type_identity<float8_e5m2>());
    case DType::float16:
      return body(std::type_identity<float16>());
    case DType::bfloat16:
      return body(std::type_identity<bfloat16>());
    default:
      throw_no_loop(dtype);
  }
}

// Calls body(type_identity<T>) for every dtype but string.
template <class Body>
auto dispatch_number(DType dtype, Body&& body) {
  if (is_floating(dtype) && dtype < DType::float32) {
    return dispatch_narrow(dtype, body);
  }
  return dispatch_wide(dtype, body);
}

// A number as a T, defined for all values: floats outside an integer's range
// saturate and NaN gives 0, as on the devices; integers wrap.
template <class T, class From>
inline T convert_element(From value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != From(0);
  } else if constexpr (std::is_integral_v<T> &&
                       std::is_floating_point_v<From>) {
    // The limits as floats: 2^n - 1 may round up to 2^n, which is outside.
    constexpr From lowest = static_cast<From>(std::numeric_limits<T>::min());
    constexpr From highest = static_cast<From>(std::numeric_limits<T>::max());
    if (value != value) return T{0};
    if (value <= lowest) return std::numeric_limits<T>::min();
    if (value >= highest) return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

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
