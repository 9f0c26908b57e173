// A C++ number beside an array, and the operand that is either of the two.
//   cast<float>(image) / 255.f       // the scalar takes the array's type
// Scalars are weakly typed: 2 * x keeps x's type unless 2.5 * x must not.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <string>

#include "systolic/array/array.h"
#include "systolic/array/promotion.h"

namespace systolic {

// A bool, integer, floating or complex number that adapts to the type beside
// it.
class Scalar {
 public:
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  constexpr Scalar(T value)
      : kind_(std::same_as<T, bool>    ? WeakKind::boolean
              : std::floating_point<T> ? WeakKind::floating
                                       : WeakKind::integer),
        integer_(std::integral<T> ? static_cast<int64_t>(value) : 0),
        real_(static_cast<double>(value)) {}
  template <std::floating_point T>
  constexpr Scalar(std::complex<T> value)
      : kind_(WeakKind::complex),
        integer_(0),
        real_(static_cast<double>(value.real())),
        imag_(static_cast<double>(value.imag())) {}

  constexpr WeakKind kind() const { return kind_; }
  // The value as a double; of a complex number, its real part.
  constexpr double real() const { return real_; }
  // The imaginary part; 0 for all but complex numbers.
  constexpr double imag() const { return imag_; }
  // The value as an integer; 0 for a floating scalar.
  constexpr int64_t integer() const { return integer_; }

  // The scalar as an array without axes of `dtype`.
  // Throws: ValueError naming `who` where an integer does not fit dtype.
  Array to_array(DType dtype, const char* who) const;

 private:
  WeakKind kind_;
  int64_t integer_;
  double real_;
  double imag_ = 0;
};

// What host arithmetic takes on either side: an Array or a C++ number.
// Refers to the Array, so it lives only as long as the call.
class ArrayOperand {
 public:
  ArrayOperand(const Array& array) : array_(&array) {}
  template <CppNumber T>
  ArrayOperand(T value) : scalar_(value) {}

  bool is_array() const { return array_ != nullptr; }
  const Array& array() const { return *array_; }
  const Scalar& scalar() const { return scalar_; }
  // The array's shape; () for a number.
  Shape shape() const { return array_ ? array_->shape() : Shape::scalar(); }
  // The operand as an array of `dtype`; see Scalar::to_array.
  Array to_array(DType dtype, const char* who) const;

 private:
  const Array* array_ = nullptr;
  Scalar scalar_ = 0;
};

// The type that two operands meet in, weak numbers included.
// Throws: as promote.
DType promote(const ArrayOperand& a, const ArrayOperand& b);

// A type that host arithmetic takes as it is: Array, or a C++ number. Nothing
// converts to it, so overloads for Tensors stay apart.
template <class T>
concept ArrayLike = std::same_as<T, Array> || CppNumber<T>;

// Two host operands, at least one of them an Array.
template <class A, class B>
concept ArrayPair = ArrayLike<A> && ArrayLike<B> &&
    (std::same_as<A, Array> || std::same_as<B, Array>);

}  // namespace systolic
