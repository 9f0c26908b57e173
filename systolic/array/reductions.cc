#include "systolic/array/reductions.h"

#include <cmath>

#include "systolic/array/cast.h"
#include "systolic/array/elementwise.h"
#include "systolic/array/loops.h"
#include "systolic/array/manipulation.h"
#include "systolic/array/promotion.h"
#include "systolic/base/message.h"

namespace systolic {
namespace {

using internal::dispatch_wide;
using internal::Message;

// An input brought into the form that the loops take: `rows` rows, each the
// elements that one result is made of.
struct Rows {
  Array values;
  Shape result;
  int64_t rows;
  int64_t length;
};

Rows make_rows(const Array& x, const ReduceOptions& options, const char* who) {
  internal::require_numbers(x, who);
  Axes axes = options.axis.resolve(x.rank(), who);
  Shape result = reduced_shape(x.shape(), options, who);
  std::vector<int> order;
  int64_t length = 1;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (!axes.contains(axis)) order.push_back(axis);
  }
  for (int axis : axes) {
    order.push_back(axis);
    length *= x.shape()[axis];
  }
  return {transpose(x, order), result, result.elements(), length};
}

void require_elements(const Rows& rows, const Array& x, const char* who) {
  if (rows.length > 0 || rows.rows == 0) return;
  Message(who)
      .expected("at least one element to choose from")
      .got("none")
      .detail("input", x.spec())
      .raise<ValueError>();
}

// Makes out[row] = f(elements of the row, their number).
template <class T, class Out, class F>
Array reduce_rows(const Rows& rows, const F& f) {
  Array out = Array::uninitialized({dtype_of<Out>, rows.result});
  const T* from = reinterpret_cast<const T*>(rows.values.data());
  Out* to = reinterpret_cast<Out*>(out.mutable_data());
  for (int64_t i = 0; i < rows.rows; ++i) {
    to[i] = f(from + i * rows.length, rows.length);
  }
  return out;
}

// The type that a sum of T's is kept in until it is rounded once.
template <class T>
using Accumulator = std::conditional_t<
    internal::is_complex_type<T>, std::complex<double>,
    std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>>;

template <class F>
Array fold(const Array& x, DType dtype, const ReduceOptions& options,
           const char* who, double start, const F& f) {
  internal::require_wider_than_float8(dtype, who);
  Rows rows = make_rows(x, options, who);
  rows.values = cast(rows.values, internal::wide_dtype(dtype));
  Array out = internal::dispatch_arithmetic(
      rows.values.dtype(), [&]<class T>(std::type_identity<T>) {
        return reduce_rows<T, T>(rows, [&](const T* values, int64_t count) {
          auto total = static_cast<Accumulator<T>>(start);
          for (int64_t i = 0; i < count; ++i) {
            total = f(total, static_cast<Accumulator<T>>(values[i]));
          }
          return static_cast<T>(total);
        });
      });
  return cast(out, dtype);
}

// True where `a` takes the place of the best so far; NaN beats everything.
struct Greater {
  template <class T>
  bool operator()(T a, T best) const {
    return a > best || (a != a && best == best);
  }
};

struct Less {
  template <class T>
  bool operator()(T a, T best) const {
    return a < best || (a != a && best == best);
  }
};

template <class Better>
Array choose(const Array& x, const ReduceOptions& options, const char* who,
             const Better& better) {
  internal::require_real(x, who);
  Rows rows = make_rows(x, options, who);
  require_elements(rows, x, who);
  rows.values = cast(rows.values, internal::wide_dtype(x.dtype()));
  Array out =
      dispatch_wide(rows.values.dtype(), [&]<class T>(std::type_identity<T>) {
        return reduce_rows<T, T>(rows, [&](const T* values, int64_t count) {
          T best = values[0];
          for (int64_t i = 1; i < count; ++i) {
            if (better(values[i], best)) best = values[i];
          }
          return best;
        });
      });
  return cast(out, x.dtype());
}

template <class Better>
Array choose_position(const Array& x, const ArgReduceOptions& options,
                      const char* who, const Better& better) {
  internal::require_real(x, who);
  ReduceOptions reduce;
  if (options.axis) reduce.axis = *options.axis;
  reduce.keepdims = options.keepdims;
  Rows rows = make_rows(x, reduce, who);
  require_elements(rows, x, who);
  rows.values = cast(rows.values, internal::wide_dtype(x.dtype()));
  return dispatch_wide(rows.values.dtype(), [&]<class T>(
                                                std::type_identity<T>) {
    return reduce_rows<T, int32_t>(rows, [&](const T* values, int64_t count) {
      int64_t best = 0;
      for (int64_t i = 1; i < count; ++i) {
        if (better(values[i], values[best])) best = i;
      }
      return static_cast<int32_t>(best);
    });
  });
}

Array reduce_bools(const Array& x, const ReduceOptions& options,
                   const char* who, bool stop_at) {
  Rows rows = make_rows(x, options, who);
  rows.values = cast(rows.values, DType::boolean);
  return reduce_rows<bool, bool>(rows, [&](const bool* values, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      if (values[i] == stop_at) return stop_at;
    }
    return !stop_at;
  });
}

bool is_nan(double x) { return std::isnan(x); }
bool is_nan(std::complex<double> x) {
  return std::isnan(x.real()) || std::isnan(x.imag());
}

template <class T>
bool all_close(const Array& a, const Array& b, const AllcloseOptions& options) {
  Array left = cast<T>(a);
  Array right = cast<T>(b);
  std::span<const T> x = left.span<T>();
  std::span<const T> y = right.span<T>();
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i]) continue;  // also infinities of one sign
    if (is_nan(x[i]) && is_nan(y[i]) && options.equal_nan) continue;
    // An infinity is close to nothing else, whatever the tolerance.
    if (!std::isfinite(std::abs(x[i])) || !std::isfinite(std::abs(y[i]))) {
      return false;
    }
    if (std::abs(x[i] - y[i]) > options.atol + options.rtol * std::abs(y[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

Array sum(const Array& x, const ReduceOptions& options) {
  internal::require_numbers(x, "sum");
  return fold(x, sum_dtype(x.dtype()), options, "sum", 0,
              [](auto a, auto b) { return a + b; });
}

Array prod(const Array& x, const ReduceOptions& options) {
  internal::require_numbers(x, "prod");
  return fold(x, sum_dtype(x.dtype()), options, "prod", 1,
              [](auto a, auto b) { return a * b; });
}

Array mean(const Array& x, const ReduceOptions& options) {
  Rows rows = make_rows(x, options, "mean");
  internal::require_wider_than_float8(x.dtype(), "mean");
  if (is_complex(x.dtype())) {
    return sum(x, options) / static_cast<double>(rows.length);
  }
  DType dtype = floating_dtype(x.dtype());
  rows.values = cast(rows.values, internal::wide_dtype(x.dtype()));
  Array out =
      dispatch_wide(rows.values.dtype(), [&]<class T>(std::type_identity<T>) {
        return reduce_rows<T, double>(rows, [](const T* values, int64_t count) {
          double total = 0;
          for (int64_t i = 0; i < count; ++i) {
            total += static_cast<double>(values[i]);
          }
          return total / static_cast<double>(count);
        });
      });
  return cast(out, dtype);
}

Array max(const Array& x, const ReduceOptions& options) {
  return choose(x, options, "max", Greater());
}

Array min(const Array& x, const ReduceOptions& options) {
  return choose(x, options, "min", Less());
}

Array reduce_any(const Array& x, const ReduceOptions& options) {
  return reduce_bools(x, options, "any", true);
}

Array any(const Array& x, const ReduceOptions& options) {
  return reduce_any(x, options);
}

Array reduce_all(const Array& x, const ReduceOptions& options) {
  return reduce_bools(x, options, "all", false);
}

Array argmax(const Array& x, const ArgReduceOptions& options) {
  return choose_position(x, options, "argmax", Greater());
}

Array argmin(const Array& x, const ArgReduceOptions& options) {
  return choose_position(x, options, "argmin", Less());
}

bool allclose(const Array& a, const Array& b, const AllcloseOptions& options) {
  internal::require_numbers(a, "allclose");
  internal::require_numbers(b, "allclose");
  if (a.shape() != b.shape()) return false;
  if (is_complex(a.dtype()) || is_complex(b.dtype())) {
    return all_close<std::complex<double>>(a, b, options);
  }
  return all_close<double>(a, b, options);
}

bool array_equal(const Array& a, const Array& b) {
  internal::require_set(a, "array_equal");
  internal::require_set(b, "array_equal");
  bool a_text = a.dtype() == DType::string;
  bool b_text = b.dtype() == DType::string;
  if (a.shape() != b.shape() || a_text != b_text) return false;
  return reduce_all(equal(a, b)).item<bool>();
}

}  // namespace systolic
