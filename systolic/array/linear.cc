#include "systolic/array/linear.h"

#include <algorithm>

#include "systolic/array/cast.h"
#include "systolic/array/loops.h"
#include "systolic/array/manipulation.h"
#include "systolic/array/promotion.h"
#include "systolic/base/message.h"

namespace systolic {
namespace {

using internal::Message;
using internal::Strides;

[[noreturn]] void throw_matmul(const TensorSpec& a, const TensorSpec& b,
                               std::string_view expected,
                               std::string_view got) {
  Message("matmul")
      .expected(expected)
      .got(got)
      .detail("a", a)
      .detail("b", b)
      .raise<ShapeError>();
}

// The axes before the last two; none for vectors and matrices.
Shape batch_of(const Shape& shape) {
  return Shape(
      shape.dims().first(static_cast<size_t>(std::max(0, shape.rank() - 2))));
}

// One matrix product; the order of the loops keeps the inner one on rows.
template <class T>
void multiply_matrices(const T* a, const T* b, T* out, int64_t m, int64_t k,
                       int64_t n) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  std::fill(out, out + m * n, T{0});
  for (int64_t i = 0; i < m; ++i) {
    T* row = out + i * n;
    for (int64_t j = 0; j < k; ++j) {
      Wide left = static_cast<Wide>(a[i * k + j]);
      const T* right = b + j * n;
      for (int64_t c = 0; c < n; ++c) {
        row[c] = static_cast<T>(static_cast<Wide>(row[c]) +
                                left * static_cast<Wide>(right[c]));
      }
    }
  }
}

template <class T>
void multiply_batches(const Array& a, const Array& b, const Shape& batch,
                      Array& out) {
  int64_t m = a.shape()[-2];
  int64_t k = a.shape()[-1];
  int64_t n = b.shape()[-1];
  const T* from_a = reinterpret_cast<const T*>(a.data());
  const T* from_b = reinterpret_cast<const T*>(b.data());
  T* to = reinterpret_cast<T*>(out.mutable_data());
  auto walk = internal::make_walk<2>(
      batch, {internal::broadcast_strides(batch_of(a.shape()), batch),
              internal::broadcast_strides(batch_of(b.shape()), batch)});
  internal::walk_rows(
      walk, [&](int64_t done, const std::array<int64_t, 2>& at, int64_t count,
                const std::array<int64_t, 2>& step) {
        for (int64_t i = 0; i < count; ++i) {
          multiply_matrices(from_a + (at[0] + i * step[0]) * m * k,
                            from_b + (at[1] + i * step[1]) * k * n,
                            to + (done + i) * m * n, m, k, n);
        }
      });
}

template <class T>
void mark_positions(const Array& positions, int64_t num_classes, Array& rows) {
  std::span<const int64_t> at = positions.span<int64_t>();
  T* row = reinterpret_cast<T*>(rows.mutable_data());
  for (int64_t position : at) {
    if (position >= 0 && position < num_classes) {
      if constexpr (std::is_arithmetic_v<T> || internal::is_complex_type<T>) {
        row[position] = T{1};
      } else {
        row[position] = T(1.0f);
      }
    }
    row += num_classes;
  }
}

}  // namespace

Shape matmul_shape(const TensorSpec& a, const TensorSpec& b) {
  const Shape& left = a.shape;
  const Shape& right = b.shape;
  if (left.rank() == 0 || right.rank() == 0) {
    throw_matmul(a, b, "operands with at least one axis", "a scalar");
  }
  int64_t inner_a = left[-1];
  int64_t inner_b = right.rank() == 1 ? right[0] : right[-2];
  if (inner_a != inner_b && inner_a >= 0 && inner_b >= 0) {
    throw_matmul(a, b,
                 right.rank() == 1
                     ? "the last axis of a to be as long as b"
                     : "the last axis of a to equal the second to last of b",
                 internal::concatenate_text(inner_a, " and ", inner_b));
  }
  Shape batch;
  try {
    batch = broadcast(batch_of(left), batch_of(right));
  } catch (const ShapeError&) {
    throw_matmul(
        a, b, "axes before the last two that broadcast",
        internal::concatenate_text(batch_of(left), " and ", batch_of(right)));
  }
  if (left.rank() > 1) batch.push_back(left[-2]);
  if (right.rank() > 1) batch.push_back(right[-1]);
  return batch;
}

Array matmul(const Array& a, const Array& b) {
  internal::require_numbers(a, "matmul");
  internal::require_numbers(b, "matmul");
  Shape shape = matmul_shape(a.spec(), b.spec());
  DType dtype = promote(a.dtype(), b.dtype());
  // Keras widens products of int8, which would overflow at once.
  if (a.dtype() == DType::int8 && b.dtype() == DType::int8) {
    dtype = DType::int32;
  }
  internal::require_wider_than_float8(dtype, "matmul");
  DType wide = internal::wide_dtype(dtype);
  Array left = cast(a, wide);
  Array right = cast(b, wide);
  if (left.rank() == 1) left = expand_dims(left, 0);
  if (right.rank() == 1) right = expand_dims(right, 1);
  Array out = Array::uninitialized({wide, shape});
  Shape batch = broadcast(batch_of(left.shape()), batch_of(right.shape()));
  internal::dispatch_arithmetic(wide, [&]<class T>(std::type_identity<T>) {
    multiply_batches<T>(left, right, batch, out);
  });
  return cast(out, dtype);
}

Array one_hot(const Array& x, int64_t num_classes,
              const OneHotOptions& options) {
  internal::require_set(x, "one_hot");
  if (!is_integer(x.dtype()) && x.dtype() != DType::boolean) {
    Message("one_hot")
        .expected("integers")
        .got(x.spec())
        .hint("cast the labels first, for example cast<int>(labels)")
        .raise<TypeError>();
  }
  if (num_classes < 1) {
    Message("one_hot")
        .expected("num_classes of 1 or more")
        .got(num_classes)
        .raise<ValueError>();
  }
  int axis = resolve_axis(options.axis, x.rank() + 1, "one_hot");
  Shape shape = x.shape();
  shape.push_back(num_classes);
  Array rows = Array::zeros(shape, options.dtype);
  Array positions = cast<int64_t>(x);
  internal::dispatch_number(options.dtype, [&]<class T>(std::type_identity<T>) {
    mark_positions<T>(positions, num_classes, rows);
  });
  if (axis == x.rank()) return rows;
  std::vector<int> order;
  for (int i = 0; i < x.rank(); ++i) order.push_back(i);
  order.insert(order.begin() + axis, x.rank());
  return transpose(rows, order);
}

}  // namespace systolic
