// The element type of a result, by Keras 3's rules (JAX's lattice).
//   promote(DType::int32, DType::float32)                // float32
//   promote_weak(DType::bfloat16, WeakKind::floating)    // bfloat16
// Host arrays keep 64-bit types; devices may narrow them.
#pragma once

#include <cstdint>

#include "systolic/array/dtype.h"

namespace systolic {

// The kind of a C++ scalar beside an array: it adapts to the array's type.
enum class WeakKind : uint8_t { boolean, integer, floating, complex };

// The type that two typed operands meet in.
// Throws: TypeError for string, and for float8 beside another type.
DType promote(DType a, DType b);

// The type of a typed operand beside a C++ scalar: only a scalar of a higher
// kind changes it (int32 and a floating scalar give float32).
// Throws: TypeError for string, and for float8.
DType promote_weak(DType strong, WeakKind scalar);

// The type of a C++ scalar alone: bool, int32, float32 or complex64.
DType default_dtype(WeakKind scalar);

// The type of exp, log, mean, true division ...: integers and bool give
// float32, floats and complex numbers stay.
// Throws: TypeError for string.
DType floating_dtype(DType dtype);

// The type of the real and imaginary parts, and of abs: float32 for complex64,
// float64 for complex128; every other type stays.
DType real_dtype(DType dtype);

// The complex type with parts of that type: complex128 for float64, complex64
// for everything else; complex types stay.
// Throws: TypeError for string.
DType complex_dtype(DType dtype);

// The type of sum and prod: bool and narrow integers give int32 or uint32,
// everything else stays.
// Throws: TypeError for string.
DType sum_dtype(DType dtype);

}  // namespace systolic
