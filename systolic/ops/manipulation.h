// Ops that move elements without computing: shape, order, joining, slicing.
//
//   Tensor flat = reshape(x, {batch, -1});
//   Tensor both = concatenate({a, b}, -1);
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "systolic/array/axes.h"
#include "systolic/array/linear.h"
#include "systolic/array/manipulation.h"
#include "systolic/array/nest.h"
#include "systolic/graph/arg.h"
#include "systolic/graph/intrinsics.h"

namespace systolic {

/// The same elements in another shape; one size may be -1.
Tensor reshape(const Arg& x, const Shape& shape);
/// A new axis of size 1 before `axis` (negative: from the end).
Tensor expand_dims(const Arg& x, int axis);
/// Without the axes of size 1 (all, or those named).
Tensor squeeze(const Arg& x, const Axes& axis = {});
/// Axes in another order; reversed if unset.
Tensor transpose(const Arg& x, const Axes& axes = {});
/// Repeated to `shape` by NumPy's broadcasting.
using internal::graph::broadcast_to;
/// The elements along `axis` in reverse order.
Tensor flip(const Arg& x, const Axes& axis = {});

/// Joins Tensors along an axis they have.
Tensor concatenate(const std::vector<Tensor>& xs, int axis = -1,
                   SourceLocation where = SourceLocation::current());
Tensor concat(const std::vector<Tensor>& xs, int axis = -1,
              SourceLocation where = SourceLocation::current());
/// Joins Tensors of one shape along a new axis.
Tensor stack(const std::vector<Tensor>& xs, int axis = 0,
             SourceLocation where = SourceLocation::current());

/// The number of constant elements before and after each axis.
using PadWidth = std::vector<std::pair<int64_t, int64_t>>;
/// `x` with constants around it.
Tensor pad(const Arg& x, const PadWidth& pad_width,
           const Arg& constant_values = 0);

/// Elements (or slices along `axis`) at integer positions; negative ones
/// count from the end, those outside are clamped on the device. Shapes:
/// x (a, n, b), indices (i...) -> (a, i..., b).
struct TakeOptions {
  int axis = 0;
};
Tensor take(const Arg& x, const Arg& indices, const TakeOptions& options = {});
/// TensorFlow's name for take along the first axis.
Tensor gather(const Arg& x, const Arg& indices,
              const TakeOptions& options = {});

/// Zeros of a shape; ones; one value.
Tensor zeros(const Shape& shape, DType dtype = DType::float32);
Tensor ones(const Shape& shape, DType dtype = DType::float32);
Tensor full(const Shape& shape, const Arg& value);
Tensor zeros_like(const Arg& x);
Tensor ones_like(const Arg& x);
/// 0, 1, ... stop - 1.
Tensor arange(int64_t stop, DType dtype = DType::int32);

/// 1 at the position of each label, else 0, along a new last axis.
Tensor one_hot(const Arg& x, int64_t num_classes,
               const OneHotOptions& options = {});

/// Matrix product over the last two axes; leading axes broadcast. A vector
/// is a row on the left, a column on the right.
Tensor matmul(const Arg& x, const Arg& y);

/// The position `start` along the first axis of a stack: x[start], where
/// start may be a value of the program.
Tensor dynamic_index(const Arg& x, const Arg& start);
/// `x` with `row` at the position `start` along its first axis. Throws
/// ShapeError where the row is not of x's rows' shape.
Tensor dynamic_update(const Arg& x, const Arg& start, const Arg& row);

/// A constant: an Array's elements, or a number or nested lists of them
/// (`constant({{1.0, 2.0}, {3.0, 4.0}})`: float32 with a point, else int32).
Tensor constant(const Array& value);
Tensor constant(const Nest& value, std::optional<DType> dtype = {});
/// A constant of a vector's or a span's elements, which keep their type.
/// Throws ShapeError where their number does not fit the shape.
template <ArrayElement T>
Tensor constant(const std::vector<T>& values, const Shape& shape = {}) {
  return constant(Array::from(values, shape));
}
template <ArrayElement T, size_t N>
Tensor constant(std::span<T, N> values, const Shape& shape = {}) {
  return constant(Array::from(values, shape));
}

}  // namespace systolic
