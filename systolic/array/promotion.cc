#include "systolic/array/promotion.h"

#include <array>
#include <bit>

#include "systolic/base/message.h"

namespace systolic {
namespace {

// The lattice has a node for each type, and three for C++ scalars, whose kind
// counts but whose width does not.
constexpr int kWeakInteger = kDTypeCount;
constexpr int kWeakFloating = kDTypeCount + 1;
constexpr int kWeakComplex = kDTypeCount + 2;
constexpr int kNodes = kDTypeCount + 3;

constexpr int node(DType dtype) { return static_cast<int>(dtype); }
constexpr uint32_t bit(int node) { return 1u << node; }
constexpr uint32_t bit(DType dtype) { return bit(node(dtype)); }

// For each node the nodes next above it.
constexpr std::array<uint32_t, kNodes> next_above() {
  std::array<uint32_t, kNodes> up{};
  auto set = [&](DType from, uint32_t to) {
    up[static_cast<size_t>(from)] = to;
  };
  set(DType::boolean, bit(kWeakInteger));
  set(DType::uint8, bit(DType::int16) | bit(DType::uint16));
  set(DType::uint16, bit(DType::int32) | bit(DType::uint32));
  set(DType::uint32, bit(DType::int64) | bit(DType::uint64));
  set(DType::uint64, bit(kWeakFloating));
  set(DType::int8, bit(DType::int16));
  set(DType::int16, bit(DType::int32));
  set(DType::int32, bit(DType::int64));
  set(DType::int64, bit(kWeakFloating));
  set(DType::bfloat16, bit(DType::float32));
  set(DType::float16, bit(DType::float32));
  set(DType::float32, bit(DType::float64) | bit(DType::complex64));
  set(DType::float64, bit(DType::complex128));
  set(DType::complex64, bit(DType::complex128));
  up[kWeakInteger] = bit(DType::uint8) | bit(DType::int8);
  up[kWeakFloating] =
      bit(DType::bfloat16) | bit(DType::float16) | bit(kWeakComplex);
  up[kWeakComplex] = bit(DType::complex64);
  return up;
}

// For each node the set of all nodes at or above it.
constexpr std::array<uint32_t, kNodes> upper_bounds() {
  std::array<uint32_t, kNodes> up = next_above();
  for (int i = 0; i < kNodes; ++i) up[static_cast<size_t>(i)] |= bit(i);
  for (int pass = 0; pass < kNodes; ++pass) {
    for (uint32_t& bounds : up) {
      for (int i = 0; i < kNodes; ++i) {
        if ((bounds & bit(i)) != 0) bounds |= up[static_cast<size_t>(i)];
      }
    }
  }
  return up;
}

constexpr std::array<uint32_t, kNodes> kUpperBounds = upper_bounds();

// The lowest node above both; every pair of nodes of the lattice has one.
constexpr int least_upper_bound(int a, int b) {
  uint32_t common = kUpperBounds[static_cast<size_t>(a)] &
                    kUpperBounds[static_cast<size_t>(b)];
  for (int i = 0; i < kNodes; ++i) {
    if ((common & bit(i)) != 0 &&
        (common & ~kUpperBounds[static_cast<size_t>(i)]) == 0) {
      return i;
    }
  }
  return -1;
}

constexpr std::array<std::array<int8_t, kNodes>, kNodes> meet_table() {
  std::array<std::array<int8_t, kNodes>, kNodes> table{};
  for (int a = 0; a < kNodes; ++a) {
    for (int b = 0; b < kNodes; ++b) {
      table[static_cast<size_t>(a)][static_cast<size_t>(b)] =
          static_cast<int8_t>(least_upper_bound(a, b));
    }
  }
  return table;
}

constexpr std::array<std::array<int8_t, kNodes>, kNodes> kMeet = meet_table();

DType meet(int a, int b) {
  int found = kMeet[static_cast<size_t>(a)][static_cast<size_t>(b)];
  if (found == kWeakInteger) return DType::int32;
  if (found == kWeakFloating) return DType::float32;
  if (found == kWeakComplex) return DType::complex64;
  return static_cast<DType>(found);
}

void require_number(DType dtype) {
  if (dtype != DType::string) return;
  internal::Message("promote")
      .expected("numbers")
      .got("string")
      .hint("convert the text to numbers first")
      .raise<TypeError>();
}

[[noreturn]] void throw_float8(DType dtype, std::string_view other) {
  internal::Message("promote")
      .expected("operands of one dtype, since float8 never converts by itself")
      .got(dtype, " and ", other)
      .hint(
          "cast the float8 operand first, for example cast(x, "
          "DType::float32)")
      .raise<TypeError>();
}

}  // namespace

DType promote(DType a, DType b) {
  require_number(a);
  require_number(b);
  if (a == b) return a;
  if (is_float8(a)) throw_float8(a, name(b));
  if (is_float8(b)) throw_float8(b, name(a));
  return meet(node(a), node(b));
}

DType promote_weak(DType strong, WeakKind scalar) {
  require_number(strong);
  if (is_float8(strong)) throw_float8(strong, "a C++ number");
  switch (scalar) {
    case WeakKind::boolean:
      return strong;
    case WeakKind::integer:
      return meet(node(strong), kWeakInteger);
    case WeakKind::floating:
      return meet(node(strong), kWeakFloating);
    case WeakKind::complex:
      break;
  }
  return meet(node(strong), kWeakComplex);
}

DType default_dtype(WeakKind scalar) {
  switch (scalar) {
    case WeakKind::boolean:
      return DType::boolean;
    case WeakKind::integer:
      return DType::int32;
    case WeakKind::floating:
      return DType::float32;
    case WeakKind::complex:
      break;
  }
  return DType::complex64;
}

DType floating_dtype(DType dtype) {
  require_number(dtype);
  return is_inexact(dtype) ? dtype : DType::float32;
}

DType real_dtype(DType dtype) {
  if (dtype == DType::complex64) return DType::float32;
  return dtype == DType::complex128 ? DType::float64 : dtype;
}

DType complex_dtype(DType dtype) {
  require_number(dtype);
  const bool is_double = dtype == DType::float64 || dtype == DType::complex128;
  return is_double ? DType::complex128 : DType::complex64;
}

DType sum_dtype(DType dtype) {
  require_number(dtype);
  switch (dtype) {
    case DType::boolean:
    case DType::int8:
    case DType::int16:
      return DType::int32;
    case DType::uint8:
    case DType::uint16:
      return DType::uint32;
    default:
      return dtype;
  }
}

}  // namespace systolic
