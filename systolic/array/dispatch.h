// A C++ type from a DType, for the loops over elements inside the room.
//   dispatch_wide(x.dtype(), [&]<class T>(std::type_identity<T>) { ... });
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "systolic/array/dtype.h"

namespace systolic::internal {

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

// Calls body(type_identity<T>) for complex<float> and complex<double>.
template <class Body>
auto dispatch_complex(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::complex64:
      return body(std::type_identity<std::complex<float>>());
    case DType::complex128:
      return body(std::type_identity<std::complex<double>>());
    default:
      throw_no_loop(dtype);
  }
}

// Calls body(type_identity<T>) for what dispatch_wide and dispatch_complex
// know: the types that arithmetic is done in.
template <class Body>
auto dispatch_arithmetic(DType dtype, Body&& body) {
  if (is_complex(dtype)) return dispatch_complex(dtype, body);
  return dispatch_wide(dtype, body);
}

// Calls body(type_identity<T>) for every dtype but string.
template <class Body>
auto dispatch_number(DType dtype, Body&& body) {
  if (is_complex(dtype)) return dispatch_complex(dtype, body);
  if (is_floating(dtype) && dtype < DType::float32) {
    return dispatch_narrow(dtype, body);
  }
  return dispatch_wide(dtype, body);
}

// Whether T is std::complex of something.
template <class T>
inline constexpr bool is_complex_type = false;
template <class T>
inline constexpr bool is_complex_type<std::complex<T>> = true;

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

}  // namespace systolic::internal
