// The element types of arrays and tensors, with Keras's names.
//   DType d = dtype_of<float>;      // DType::float32
//   name(d);                        // "float32"
// How two of them combine is in promotion.h.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

#include "systolic/array/small_float.h"

namespace systolic {

// The type of an element.
enum class DType : uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float8_e4m3fn,
  float8_e5m2,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  string,
};

// The number of element types; DType values are 0 ... kDTypeCount - 1.
inline constexpr int kDTypeCount = 18;

// Keras's name of the type, such as "float32" or "bool".
std::string_view name(DType dtype);

// Prints the name.
std::ostream& operator<<(std::ostream& out, DType dtype);

// The bytes of one element in host memory; sizeof(std::string) for string.
size_t size_of(DType dtype);

// True for the float types of any width.
constexpr bool is_floating(DType dtype) {
  return dtype >= DType::float8_e4m3fn && dtype <= DType::float64;
}

// True for complex64 and complex128, which no float type includes.
constexpr bool is_complex(DType dtype) {
  return dtype == DType::complex64 || dtype == DType::complex128;
}

// True for floats and complex numbers: what has a gradient.
constexpr bool is_inexact(DType dtype) {
  return is_floating(dtype) || is_complex(dtype);
}

// True for the float types of one byte, which are storage: they are cast
// before they are computed with.
constexpr bool is_float8(DType dtype) {
  return dtype == DType::float8_e4m3fn || dtype == DType::float8_e5m2;
}

// True for the integer types, signed or not; bool is none.
constexpr bool is_integer(DType dtype) {
  return dtype >= DType::int8 && dtype <= DType::uint64;
}

// True for types that hold negative numbers: signed integers, floats and
// complex numbers.
constexpr bool is_signed(DType dtype) {
  return (dtype >= DType::int8 && dtype <= DType::int64) ||
         is_floating(dtype) || is_complex(dtype);
}

// True for everything but string.
constexpr bool is_numeric(DType dtype) { return dtype != DType::string; }

// The type with that name ("float32", "bool", ...).
// Throws: ValueError that lists the names.
DType dtype_from_name(std::string_view name);

namespace internal {

template <class T>
consteval int dtype_index() {
  if constexpr (std::same_as<T, bool>) {
    return static_cast<int>(DType::boolean);
  } else if constexpr (std::same_as<T, std::byte>) {
    return static_cast<int>(DType::uint8);
  } else if constexpr (std::integral<T>) {
    constexpr int power = sizeof(T) == 1   ? 0
                          : sizeof(T) == 2 ? 1
                          : sizeof(T) == 4 ? 2
                                           : 3;
    return static_cast<int>(std::signed_integral<T> ? DType::int8
                                                    : DType::uint8) +
           power;
  } else if constexpr (std::same_as<T, float>) {
    return static_cast<int>(DType::float32);
  } else if constexpr (std::same_as<T, double>) {
    return static_cast<int>(DType::float64);
  } else if constexpr (std::same_as<T, bfloat16>) {
    return static_cast<int>(DType::bfloat16);
  } else if constexpr (std::same_as<T, float16>) {
    return static_cast<int>(DType::float16);
  } else if constexpr (std::same_as<T, float8_e4m3fn>) {
    return static_cast<int>(DType::float8_e4m3fn);
  } else if constexpr (std::same_as<T, float8_e5m2>) {
    return static_cast<int>(DType::float8_e5m2);
  } else if constexpr (std::same_as<T, std::complex<float>>) {
    return static_cast<int>(DType::complex64);
  } else if constexpr (std::same_as<T, std::complex<double>>) {
    return static_cast<int>(DType::complex128);
  } else if constexpr (std::same_as<T, std::string>) {
    return static_cast<int>(DType::string);
  } else {
    return -1;
  }
}

template <class T>
inline constexpr bool has_dtype = dtype_index<T>() >= 0;

}  // namespace internal

// A C++ number, complex or not, which adapts to the array beside it.
template <class T>
concept CppNumber = std::integral<T> || std::floating_point<T> ||
    std::same_as<T, std::complex<float>> ||
    std::same_as<T, std::complex<double>>;

// A C++ type that can be the element of an array.
template <class T>
concept ArrayElement = internal::has_dtype<std::remove_cv_t<T>>;

// The element type that stores a T: dtype_of<float> is DType::float32.
template <ArrayElement T>
inline constexpr DType dtype_of =
    static_cast<DType>(internal::dtype_index<std::remove_cv_t<T>>());

}  // namespace systolic
