// Arg: an operand of an op: a Tensor, a Variable, an Array or a C++ scalar.
//
//   Tensor add(Arg x, Arg y);
//   add(t, 1.f);                       // a scalar takes the Tensor's dtype
//
// It captures the line where the user wrote it, for error messages. It is for
// parameters: like a reference, it does not keep a Tensor that has a name.
#pragma once

#include <complex>
#include <concepts>
#include <utility>

#include "systolic/array/array.h"
#include "systolic/array/promotion.h"
#include "systolic/graph/tensor.h"

namespace systolic {

class Variable;

class Arg {
 public:
  Arg(const Tensor& tensor, SourceLocation where = SourceLocation::current());
  Arg(Tensor&& tensor, SourceLocation where = SourceLocation::current());
  Arg(const Variable& variable,
      SourceLocation where = SourceLocation::current());
  /// Throws: ValueError for an unset Array, TypeError for strings.
  Arg(const Array& array, SourceLocation where = SourceLocation::current());

  template <class T>
  requires std::integral<T> || std::floating_point<T> Arg(
      T value, SourceLocation where = SourceLocation::current())
      : where_(where) {
    if constexpr (std::same_as<T, bool>) {
      kind_ = WeakKind::boolean;
      integer_ = value;
    } else if constexpr (std::integral<T>) {
      kind_ = WeakKind::integer;
      integer_ = static_cast<int64_t>(value);
      is_large_ = std::cmp_not_equal(integer_, value);
    } else {
      kind_ = WeakKind::floating;
      real_ = static_cast<double>(value);
    }
    is_scalar_ = true;
  }

  template <std::floating_point T>
  Arg(std::complex<T> value, SourceLocation where = SourceLocation::current())
      : where_(where),
        is_scalar_(true),
        kind_(WeakKind::complex),
        real_(static_cast<double>(value.real())),
        imag_(static_cast<double>(value.imag())) {}

  /// Whether it is a C++ scalar, which adapts to the other operand's dtype.
  bool is_scalar() const { return is_scalar_; }
  WeakKind kind() const { return kind_; }

  /// As a Tensor; a scalar becomes float32, int32, bool or complex64.
  Tensor tensor() const;

  /// As a Tensor of `dtype`; only scalars change.
  Tensor tensor(DType dtype) const;

  /// The same beside a Tensor of `dtype`. Throws ValueError where a whole
  /// number is outside the dtype's range.
  Tensor fitting_tensor(DType dtype) const;

  /// Dtype it has, or would have alone.
  DType dtype() const;

  const SourceLocation& where() const { return where_; }

  /// For the graph: what it refers to. Not for scalars.
  const internal::graph::Ref& ref() const { return held().ref(); }

 private:
  const Tensor& held() const { return named_ != nullptr ? *named_ : tensor_; }

  const Tensor* named_ = nullptr;
  Tensor tensor_;
  SourceLocation where_;
  bool is_scalar_ = false;
  WeakKind kind_ = WeakKind::floating;
  int64_t integer_ = 0;
  // Above int64's range: integer_ has its bits.
  bool is_large_ = false;
  double real_ = 0;
  double imag_ = 0;
};

}  // namespace systolic
