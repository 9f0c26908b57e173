#include "systolic/array/elementwise.h"

#include <cmath>
#include <string>

#include "systolic/array/cast.h"
#include "systolic/array/loops.h"
#include "systolic/array/wide_loop.h"
#include "systolic/base/message.h"

namespace systolic::internal {
namespace {

const char* name_of(BinaryKind kind) {
  static constexpr const char* kNames[] = {
      "add",           "subtract",    "multiply",   "divide",
      "maximum",       "minimum",     "power",      "equal",
      "not_equal",     "less",        "less_equal", "greater",
      "greater_equal", "logical_and", "logical_or", "logical_xor"};
  return kNames[static_cast<size_t>(kind)];
}

// Integer arithmetic through the unsigned type, which wraps on overflow.
template <class T>
constexpr uint64_t wide(T value) {
  return static_cast<uint64_t>(value);
}

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(wide(a) + wide(b));
    } else {
      return a + b;
    }
  }
};

struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(wide(a) - wide(b));
    } else {
      return a - b;
    }
  }
};

struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(wide(a) * wide(b));
    } else {
      return a * b;
    }
  }
};

struct Divide {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return a;  // divide() makes integers floating first
    } else {
      return a / b;
    }
  }
};

struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return a != a || a > b ? a : b;
  }
};

struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return a != a || a < b ? a : b;
  }
};

struct Power {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a || !b;
    } else if constexpr (!std::is_integral_v<T>) {
      return std::pow(a, b);
    } else {
      if constexpr (std::is_signed_v<T>) {
        // 1 / a^-b, towards zero: only 1 and -1 leave something.
        if (b < 0 && a == -1) return b % 2 == 0 ? T{1} : T{-1};
        if (b < 0) return a == 1 ? T{1} : T{0};
      }
      uint64_t base = wide(a);
      uint64_t result = 1;
      for (uint64_t rest = wide(b); rest != 0; rest >>= 1) {
        if ((rest & 1) != 0) result *= base;
        base *= base;
      }
      return static_cast<T>(result);
    }
  }
};

// One row of results; the usual steps get loops that vectorise. Inline, to be
// compiled for the vectors of its caller.
template <class T, class Out, class F>
__attribute__((always_inline)) inline void plain_row(const T* a, int64_t step_a,
                                                     const T* b, int64_t step_b,
                                                     Out* out, int64_t count,
                                                     const F& f) {
  if (step_a == 1 && step_b == 1) {
    for (int64_t i = 0; i < count; ++i) out[i] = f(a[i], b[i]);
  } else if (step_a == 1 && step_b == 0) {
    const T right = *b;
    for (int64_t i = 0; i < count; ++i) out[i] = f(a[i], right);
  } else if (step_a == 0 && step_b == 1) {
    const T left = *a;
    for (int64_t i = 0; i < count; ++i) out[i] = f(left, b[i]);
  } else {
    for (int64_t i = 0; i < count; ++i)
      out[i] = f(a[i * step_a], b[i * step_b]);
  }
}

template <class T, class Out, class F>
void row(const T* a, int64_t step_a, const T* b, int64_t step_b, Out* out,
         int64_t count, const F& f) {
  if constexpr (std::is_same_v<T, float> && !std::is_same_v<F, Power>) {
    wide_loop([=] { plain_row(a, step_a, b, step_b, out, count, f); });
  } else {
    plain_row(a, step_a, b, step_b, out, count, f);
  }
}

template <class T, class Out, class F>
Array zip_as(const Array& a, const Array& b, const Shape& shape, const F& f) {
  Array out = Array::uninitialized({dtype_of<Out>, shape});
  const T* from_a = reinterpret_cast<const T*>(a.data());
  const T* from_b = reinterpret_cast<const T*>(b.data());
  Out* to = reinterpret_cast<Out*>(out.mutable_data());
  Walk<2> walk = make_walk<2>(shape, {broadcast_strides(a.shape(), shape),
                                      broadcast_strides(b.shape(), shape)});
  walk_rows(walk, [&](int64_t done, const std::array<int64_t, 2>& offsets,
                      int64_t count, const std::array<int64_t, 2>& steps) {
    row(from_a + offsets[0], steps[0], from_b + offsets[1], steps[1], to + done,
        count, f);
  });
  return out;
}

// Results of the operands' own type.
template <class F>
Array zip(const Array& a, const Array& b, const Shape& shape, const F& f) {
  return dispatch_arithmetic(a.dtype(), [&]<class T>(std::type_identity<T>) {
    return zip_as<T, T>(a, b, shape, f);
  });
}

// The same of real numbers, which alone have an order.
template <class F>
Array zip_ordered(const Array& a, const Array& b, const Shape& shape,
                  const F& f) {
  return dispatch_wide(a.dtype(), [&]<class T>(std::type_identity<T>) {
    return zip_as<T, T>(a, b, shape, f);
  });
}

// Results of type bool: whether two elements are equal, or not.
template <class F>
Array compare_equality(const Array& a, const Array& b, const Shape& shape,
                       const F& f) {
  if (a.dtype() == DType::string) {
    return zip_as<std::string, bool>(a, b, shape, f);
  }
  return dispatch_arithmetic(a.dtype(), [&]<class T>(std::type_identity<T>) {
    return zip_as<T, bool>(a, b, shape, f);
  });
}

// The same by their order.
template <class F>
Array compare(const Array& a, const Array& b, const Shape& shape, const F& f) {
  if (a.dtype() == DType::string) {
    return zip_as<std::string, bool>(a, b, shape, f);
  }
  return dispatch_wide(a.dtype(), [&]<class T>(std::type_identity<T>) {
    return zip_as<T, bool>(a, b, shape, f);
  });
}

bool is_comparison(BinaryKind kind) {
  return kind >= BinaryKind::equal && kind <= BinaryKind::greater_equal;
}

bool needs_order(BinaryKind kind) {
  return kind == BinaryKind::maximum || kind == BinaryKind::minimum ||
         (kind >= BinaryKind::less && kind <= BinaryKind::greater_equal);
}

bool is_logical(BinaryKind kind) { return kind >= BinaryKind::logical_and; }

bool is_string(const ArrayOperand& x) {
  return x.is_array() && x.array().dtype() == DType::string;
}

std::string describe(const ArrayOperand& x) {
  return x.is_array() ? x.array().spec().to_string() : "a C++ number";
}

// The type that both operands are brought to before the loop.
DType operand_dtype(BinaryKind kind, const ArrayOperand& a,
                    const ArrayOperand& b) {
  if (is_string(a) || is_string(b)) {
    if (is_string(a) && is_string(b) && is_comparison(kind)) {
      return DType::string;
    }
    Message(name_of(kind))
        .expected(is_comparison(kind) ? "two arrays of numbers, or of strings"
                                      : "numbers")
        .got(describe(a), " and ", describe(b))
        .raise<TypeError>();
  }
  if (is_logical(kind)) return DType::boolean;
  DType dtype = promote(a, b);
  if (kind == BinaryKind::divide) dtype = floating_dtype(dtype);
  if (!is_comparison(kind)) require_wider_than_float8(dtype, name_of(kind));
  if (is_complex(dtype) && needs_order(kind)) {
    Message(name_of(kind))
        .expected("real numbers")
        .got(describe(a), " and ", describe(b))
        .hint("complex numbers have no order; take abs(x), real(x) or imag(x)")
        .raise<TypeError>();
  }
  if (kind == BinaryKind::subtract && dtype == DType::boolean) {
    Message("subtract")
        .expected("numbers")
        .got("bool and bool")
        .hint("use logical_xor to compare bools, or cast them first")
        .raise<TypeError>();
  }
  return dtype;
}

// A C++ number takes part in logic as what it is, not as 0 or 1 of a bool.
Array as_operand(const ArrayOperand& x, DType dtype, const char* who) {
  if (dtype == DType::boolean && !x.is_array()) {
    return Array::scalar(x.scalar().real() != 0 || x.scalar().imag() != 0);
  }
  // Through the array's own type, so that a number is range-checked and
  // rounded as an element of it would be.
  return cast(x.to_array(dtype, who), wide_dtype(dtype));
}

Array compute(BinaryKind kind, const Array& a, const Array& b,
              const Shape& shape) {
  switch (kind) {
    case BinaryKind::add:
      return zip(a, b, shape, Add());
    case BinaryKind::subtract:
      return zip(a, b, shape, Subtract());
    case BinaryKind::multiply:
      return zip(a, b, shape, Multiply());
    case BinaryKind::divide:
      return zip(a, b, shape, Divide());
    case BinaryKind::maximum:
      return zip_ordered(a, b, shape, Maximum());
    case BinaryKind::minimum:
      return zip_ordered(a, b, shape, Minimum());
    case BinaryKind::power:
      return zip(a, b, shape, Power());
    case BinaryKind::equal:
      return compare_equality(
          a, b, shape, [](const auto& x, const auto& y) { return x == y; });
    case BinaryKind::not_equal:
      return compare_equality(
          a, b, shape, [](const auto& x, const auto& y) { return x != y; });
    case BinaryKind::less:
      return compare(a, b, shape,
                     [](const auto& x, const auto& y) { return x < y; });
    case BinaryKind::less_equal:
      return compare(a, b, shape,
                     [](const auto& x, const auto& y) { return x <= y; });
    case BinaryKind::greater:
      return compare(a, b, shape,
                     [](const auto& x, const auto& y) { return x > y; });
    case BinaryKind::greater_equal:
      return compare(a, b, shape,
                     [](const auto& x, const auto& y) { return x >= y; });
    case BinaryKind::logical_and:
      return zip_as<bool, bool>(a, b, shape,
                                [](bool x, bool y) { return x && y; });
    case BinaryKind::logical_or:
      return zip_as<bool, bool>(a, b, shape,
                                [](bool x, bool y) { return x || y; });
    case BinaryKind::logical_xor:
      break;
  }
  return zip_as<bool, bool>(a, b, shape, [](bool x, bool y) { return x != y; });
}

template <class T>
void select_rows(const Array& condition, const Array& a, const Array& b,
                 Array& out) {
  const Shape& shape = out.shape();
  const bool* choose = reinterpret_cast<const bool*>(condition.data());
  const T* from_a = reinterpret_cast<const T*>(a.data());
  const T* from_b = reinterpret_cast<const T*>(b.data());
  T* to = reinterpret_cast<T*>(out.mutable_data());
  Walk<3> walk =
      make_walk<3>(shape, {broadcast_strides(condition.shape(), shape),
                           broadcast_strides(a.shape(), shape),
                           broadcast_strides(b.shape(), shape)});
  walk_rows(walk, [&](int64_t done, const std::array<int64_t, 3>& at,
                      int64_t count, const std::array<int64_t, 3>& step) {
    for (int64_t i = 0; i < count; ++i) {
      to[done + i] = choose[at[0] + i * step[0]] ? from_a[at[1] + i * step[1]]
                                                 : from_b[at[2] + i * step[2]];
    }
  });
}

}  // namespace

Array binary(BinaryKind kind, const ArrayOperand& a, const ArrayOperand& b) {
  const char* who = name_of(kind);
  if (a.is_array()) require_set(a.array(), who);
  if (b.is_array()) require_set(b.array(), who);
  DType dtype = operand_dtype(kind, a, b);
  Shape shape = broadcast(a.shape(), b.shape(), who);
  Array out = compute(kind, as_operand(a, dtype, who),
                      as_operand(b, dtype, who), shape);
  return is_comparison(kind) || is_logical(kind) ? out : cast(out, dtype);
}

Array select(const Array& condition, const ArrayOperand& a,
             const ArrayOperand& b) {
  require_numbers(condition, "where");
  if (a.is_array()) require_set(a.array(), "where");
  if (b.is_array()) require_set(b.array(), "where");
  bool strings = is_string(a) && is_string(b);
  if (!strings && (is_string(a) || is_string(b))) {
    Message("where")
        .expected("two arrays of numbers, or of strings")
        .got(describe(a), " and ", describe(b))
        .raise<TypeError>();
  }
  DType dtype = strings ? DType::string : promote(a, b);
  Array left = a.to_array(dtype, "where");
  Array right = b.to_array(dtype, "where");
  Shape shape =
      broadcast(condition.shape(),
                broadcast(left.shape(), right.shape(), "where"), "where");
  Array choose = cast(condition, DType::boolean);
  Array out = Array::uninitialized({dtype, shape});
  if (strings) {
    select_rows<std::string>(choose, left, right, out);
  } else {
    dispatch_number(dtype, [&]<class T>(std::type_identity<T>) {
      select_rows<T>(choose, left, right, out);
    });
  }
  return out;
}

}  // namespace systolic::internal
