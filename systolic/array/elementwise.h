// Arithmetic, comparison and maths on host arrays, element by element.
//   Array y = relu(2 * x - 1.f);     Array small = x < 0.5f;
// Shapes broadcast as in NumPy; dtypes promote as in Keras (promotion.h).
#pragma once

#include <cstdint>

#include "systolic/array/array.h"
#include "systolic/array/scalar.h"

namespace systolic {
namespace internal {

enum class BinaryKind : uint8_t {
  add,
  subtract,
  multiply,
  divide,
  maximum,
  minimum,
  power,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  logical_xor,
};

// Throws: ShapeError where the shapes do not broadcast, TypeError for a dtype
// that the operation is not defined on.
Array binary(BinaryKind kind, const ArrayOperand& a, const ArrayOperand& b);
Array select(const Array& condition, const ArrayOperand& a,
             const ArrayOperand& b);

}  // namespace internal

// Sums; of bools, the logical or.
template <class A, class B>
requires ArrayPair<A, B> Array add(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::add, a, b);
}
// Differences. Throws TypeError for bools.
template <class A, class B>
requires ArrayPair<A, B> Array subtract(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::subtract, a, b);
}
// Products; of bools, the logical and.
template <class A, class B>
requires ArrayPair<A, B> Array multiply(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::multiply, a, b);
}
// Quotients; of integers, as float32.
template <class A, class B>
requires ArrayPair<A, B> Array divide(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::divide, a, b);
}
// The greater of each pair; NaN where one is NaN.
template <class A, class B>
requires ArrayPair<A, B> Array maximum(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::maximum, a, b);
}
// The lesser of each pair; NaN where one is NaN.
template <class A, class B>
requires ArrayPair<A, B> Array minimum(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::minimum, a, b);
}
// a to the power b; a negative power of an integer is 0, 1 or -1.
template <class A, class B>
requires ArrayPair<A, B> Array power(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::power, a, b);
}
// Comparisons give bool. There is no operator==, which would hide mistakes.
template <class A, class B>
requires ArrayPair<A, B> Array equal(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::equal, a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array not_equal(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::not_equal, a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array less(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::less, a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array less_equal(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::less_equal, a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array greater(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::greater, a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array greater_equal(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::greater_equal, a, b);
}
// Logic on what is not zero; gives bool.
template <class A, class B>
requires ArrayPair<A, B> Array logical_and(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::logical_and, a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array logical_or(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::logical_or, a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array logical_xor(const A& a, const B& b) {
  return internal::binary(internal::BinaryKind::logical_xor, a, b);
}
// a where the condition is not zero, else b; all three broadcast.
template <ArrayLike A, ArrayLike B>
Array where(const Array& condition, const A& a, const B& b) {
  return internal::select(condition, a, b);
}

template <class A, class B>
requires ArrayPair<A, B> Array operator+(const A& a, const B& b) {
  return add(a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array operator-(const A& a, const B& b) {
  return subtract(a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array operator*(const A& a, const B& b) {
  return multiply(a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array operator/(const A& a, const B& b) {
  return divide(a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array operator<(const A& a, const B& b) {
  return less(a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array operator<=(const A& a, const B& b) {
  return less_equal(a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array operator>(const A& a, const B& b) {
  return greater(a, b);
}
template <class A, class B>
requires ArrayPair<A, B> Array operator>=(const A& a, const B& b) {
  return greater_equal(a, b);
}

}  // namespace systolic
