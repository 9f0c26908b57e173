// Arithmetic, comparison and maths on host arrays, element by element.
//   Array y = relu(2 * x - 1.f);     Array small = x < 0.5f;
// Shapes broadcast as in NumPy; dtypes promote as in Keras (promotion.h). A
// result is written over an operand that is a temporary of its shape and type,
// such as cast<float>(image) in cast<float>(image) / 255.f.
#pragma once

#include <cstdint>
#include <utility>

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
requires ArrayPair<A, B> Array add(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::add, std::forward<A>(a),
                          std::forward<B>(b));
}
// Differences. Throws TypeError for bools.
template <class A, class B>
requires ArrayPair<A, B> Array subtract(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::subtract, std::forward<A>(a),
                          std::forward<B>(b));
}
// Products; of bools, the logical and.
template <class A, class B>
requires ArrayPair<A, B> Array multiply(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::multiply, std::forward<A>(a),
                          std::forward<B>(b));
}
// Quotients; of integers, as float32.
template <class A, class B>
requires ArrayPair<A, B> Array divide(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::divide, std::forward<A>(a),
                          std::forward<B>(b));
}
// The greater of each pair; NaN where one is NaN.
template <class A, class B>
requires ArrayPair<A, B> Array maximum(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::maximum, std::forward<A>(a),
                          std::forward<B>(b));
}
// The lesser of each pair; NaN where one is NaN.
template <class A, class B>
requires ArrayPair<A, B> Array minimum(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::minimum, std::forward<A>(a),
                          std::forward<B>(b));
}
// a to the power b; a negative power of an integer is 0, 1 or -1.
template <class A, class B>
requires ArrayPair<A, B> Array power(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::power, std::forward<A>(a),
                          std::forward<B>(b));
}
// Comparisons give bool. There is no operator==, which would hide mistakes.
template <class A, class B>
requires ArrayPair<A, B> Array equal(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::equal, std::forward<A>(a),
                          std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array not_equal(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::not_equal, std::forward<A>(a),
                          std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array less(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::less, std::forward<A>(a),
                          std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array less_equal(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::less_equal, std::forward<A>(a),
                          std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array greater(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::greater, std::forward<A>(a),
                          std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array greater_equal(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::greater_equal,
                          std::forward<A>(a), std::forward<B>(b));
}
// Logic on what is not zero; gives bool.
template <class A, class B>
requires ArrayPair<A, B> Array logical_and(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::logical_and, std::forward<A>(a),
                          std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array logical_or(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::logical_or, std::forward<A>(a),
                          std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array logical_xor(A&& a, B&& b) {
  return internal::binary(internal::BinaryKind::logical_xor, std::forward<A>(a),
                          std::forward<B>(b));
}
// a where the condition is not zero, else b; all three broadcast.
template <ArrayLike A, ArrayLike B>
Array where(const Array& condition, const A& a, const B& b) {
  return internal::select(condition, a, b);
}

template <class A, class B>
requires ArrayPair<A, B> Array operator+(A&& a, B&& b) {
  return add(std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array operator-(A&& a, B&& b) {
  return subtract(std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array operator*(A&& a, B&& b) {
  return multiply(std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array operator/(A&& a, B&& b) {
  return divide(std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array operator<(A&& a, B&& b) {
  return less(std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array operator<=(A&& a, B&& b) {
  return less_equal(std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array operator>(A&& a, B&& b) {
  return greater(std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
requires ArrayPair<A, B> Array operator>=(A&& a, B&& b) {
  return greater_equal(std::forward<A>(a), std::forward<B>(b));
}

}  // namespace systolic
