#include "systolic/array/scalar.h"

#include <limits>

#include "systolic/array/cast.h"
#include "systolic/array/loops.h"
#include "systolic/base/message.h"

namespace systolic {
namespace {

// An integer above int64's range arrives wrapped; only its double is exact
// enough to tell.
bool is_large_unsigned(int64_t integer, double real) {
  return integer < 0 && real > 0;
}

template <class T>
bool fits(int64_t integer, double real) {
  if (is_large_unsigned(integer, real)) return std::is_same_v<T, uint64_t>;
  if constexpr (std::is_same_v<T, uint64_t>) {
    return integer >= 0;
  } else if constexpr (std::is_same_v<T, bool>) {
    return integer == 0 || integer == 1;
  } else {
    return integer >= int64_t{std::numeric_limits<T>::min()} &&
           integer <= int64_t{std::numeric_limits<T>::max()};
  }
}

}  // namespace

Array Scalar::to_array(DType dtype, const char* who) const {
  if (is_complex(dtype)) {
    return cast(Array::scalar(std::complex<double>(real_, imag_)), dtype);
  }
  if (!is_integer(dtype) && dtype != DType::boolean) {
    return Array::full(Shape::scalar(), real_, dtype);
  }
  if (kind_ == WeakKind::floating) {
    return Array::full(Shape::scalar(), real_, dtype);
  }
  return internal::dispatch_wide(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>) {
      if (!fits<T>(integer_, real_)) {
        internal::Message(who)
            .expected("a number in the range of ", dtype)
            .got(integer_)
            .hint("cast the array to a wider dtype first")
            .template raise<ValueError>();
      }
    }
    return Array::scalar(static_cast<T>(integer_));
  });
}

Array ArrayOperand::to_array(DType dtype, const char* who) const {
  return is_array() ? cast(*array_, dtype) : scalar_.to_array(dtype, who);
}

DType promote(const ArrayOperand& a, const ArrayOperand& b) {
  if (a.is_array() && b.is_array()) {
    return promote(a.array().dtype(), b.array().dtype());
  }
  if (a.is_array()) return promote_weak(a.array().dtype(), b.scalar().kind());
  if (b.is_array()) return promote_weak(b.array().dtype(), a.scalar().kind());
  DType first = default_dtype(a.scalar().kind());
  DType second = default_dtype(b.scalar().kind());
  return promote(first, second);
}

}  // namespace systolic
