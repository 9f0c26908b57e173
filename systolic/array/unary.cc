#include "systolic/array/unary.h"

#include <cmath>
#include <functional>

#include "systolic/array/complex.h"
#include "systolic/array/elementwise.h"
#include "systolic/array/loops.h"
#include "systolic/array/promotion.h"
#include "systolic/base/message.h"

namespace systolic {
namespace {

using internal::Message;

// Applies `f` to each element of x in its wide type and returns the results as
// x's own.
template <class F>
Array map_any(const Array& x, const char* who, const F& f) {
  internal::require_wider_than_float8(x.dtype(), who);
  DType dtype = x.dtype();
  DType wide = internal::wide_dtype(dtype);
  Array in = cast(x, wide);
  Array out = Array::uninitialized({wide, x.shape()});
  internal::dispatch_wide(wide, [&]<class T>(std::type_identity<T>) {
    const T* from = reinterpret_cast<const T*>(in.data());
    T* to = reinterpret_cast<T*>(out.mutable_data());
    int64_t count = in.size();
    for (int64_t i = 0; i < count; ++i) to[i] = f(from[i]);
  });
  return cast(out, dtype);
}

// The same of complex numbers.
template <class F>
Array map_complex(const Array& x, const F& f) {
  Array out = Array::uninitialized(x.spec());
  internal::dispatch_complex(x.dtype(), [&]<class T>(std::type_identity<T>) {
    std::span<const T> from = x.span<T>();
    std::span<T> to = out.mutable_span<T>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = f(from[i]);
  });
  return out;
}

// As map_any, for functions that only floats have.
template <class F>
Array map_floating(const Array& x, const char* who, const F& f) {
  internal::require_real(x, who);
  internal::require_wider_than_float8(x.dtype(), who);
  DType dtype = floating_dtype(x.dtype());
  DType wide = internal::wide_dtype(dtype);
  Array in = cast(x, wide);
  Array out = Array::uninitialized({wide, x.shape()});
  auto loop = [&]<class T>(std::type_identity<T>) {
    const T* from = reinterpret_cast<const T*>(in.data());
    T* to = reinterpret_cast<T*>(out.mutable_data());
    int64_t count = in.size();
    for (int64_t i = 0; i < count; ++i) to[i] = f(from[i]);
  };
  if (wide == DType::float64) {
    loop(std::type_identity<double>());
  } else {
    loop(std::type_identity<float>());
  }
  return cast(out, dtype);
}

// As map_floating, for functions that complex numbers have too.
template <class F>
Array map_inexact(const Array& x, const char* who, const F& f) {
  internal::require_numbers(x, who);
  if (is_complex(x.dtype())) return map_complex(x, f);
  return map_floating(x, who, f);
}

// Signed overflow is undefined in C++; the unsigned twin wraps as devices do.
template <class T>
T wrapping_negative(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(value));
  } else {
    return -value;
  }
}

}  // namespace

Array negative(const Array& x) {
  internal::require_numbers(x, "negative");
  if (x.dtype() == DType::boolean) {
    Message("negative")
        .expected("numbers")
        .got(x.spec())
        .hint("use logical_not to turn bools over")
        .raise<TypeError>();
  }
  if (is_complex(x.dtype())) return map_complex(x, std::negate<>());
  return map_any(x, "negative", [](auto v) { return wrapping_negative(v); });
}

Array operator-(const Array& x) { return negative(x); }

Array abs(const Array& x) {
  internal::require_numbers(x, "abs");
  if (is_complex(x.dtype())) return internal::magnitude(x);
  return map_any(x, "abs", []<class T>(T v) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::abs(v);
    } else {
      return v < T{0} ? wrapping_negative(v) : v;
    }
  });
}

Array sign(const Array& x) {
  internal::require_numbers(x, "sign");
  if (is_complex(x.dtype())) {
    return map_complex(x, []<class T>(T v) {
      const auto size = std::abs(v);
      return size == 0 ? v : v / size;
    });
  }
  return map_any(x, "sign", []<class T>(T v) {
    if (v > T{0}) return T{1};
    return v < T{0} ? wrapping_negative(T{1}) : v;
  });
}

Array square(const Array& x) {
  internal::require_numbers(x, "square");
  if (is_complex(x.dtype())) return x * x;
  return map_any(x, "square", []<class T>(T v) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(v) *
                            static_cast<uint64_t>(v));
    } else {
      return v * v;
    }
  });
}

Array relu(const Array& x) {
  internal::require_real(x, "relu");
  // Written so that NaN stays NaN.
  return map_any(x, "relu", []<class T>(T v) { return v < T{0} ? T{0} : v; });
}

Array round(const Array& x) {
  internal::require_real(x, "round");
  if (!is_floating(x.dtype())) return x;
  // The default rounding mode is to nearest, ties to even.
  return map_floating(x, "round", [](auto v) { return std::nearbyint(v); });
}

Array floor(const Array& x) {
  return map_floating(x, "floor", [](auto v) { return std::floor(v); });
}

Array ceil(const Array& x) {
  return map_floating(x, "ceil", [](auto v) { return std::ceil(v); });
}

Array exp(const Array& x) {
  return map_inexact(x, "exp", [](auto v) { return std::exp(v); });
}

Array expm1(const Array& x) {
  return map_floating(x, "expm1", [](auto v) { return std::expm1(v); });
}

Array log(const Array& x) {
  return map_inexact(x, "log", [](auto v) { return std::log(v); });
}

Array log1p(const Array& x) {
  return map_floating(x, "log1p", [](auto v) { return std::log1p(v); });
}

Array sqrt(const Array& x) {
  return map_inexact(x, "sqrt", [](auto v) { return std::sqrt(v); });
}

Array rsqrt(const Array& x) {
  return map_inexact(x, "rsqrt",
                     []<class T>(T v) { return T{1} / std::sqrt(v); });
}

Array sin(const Array& x) {
  return map_inexact(x, "sin", [](auto v) { return std::sin(v); });
}

Array cos(const Array& x) {
  return map_inexact(x, "cos", [](auto v) { return std::cos(v); });
}

Array tanh(const Array& x) {
  return map_inexact(x, "tanh", [](auto v) { return std::tanh(v); });
}

Array sigmoid(const Array& x) {
  internal::require_numbers(x, "sigmoid");
  if (is_complex(x.dtype())) {
    return map_complex(
        x, []<class T>(T v) { return T{1} / (T{1} + std::exp(-v)); });
  }
  return map_floating(x, "sigmoid", []<class T>(T v) {
    // exp of a large positive number would overflow, so use its mirror.
    T e = std::exp(-std::abs(v));
    return v < T{0} ? e / (T{1} + e) : T{1} / (T{1} + e);
  });
}

Array logical_not(const Array& x) {
  internal::require_numbers(x, "logical_not");
  return map_any(cast(x, DType::boolean), "logical_not",
                 []<class T>(T v) { return v == T{0} ? T{1} : T{0}; });
}

}  // namespace systolic
