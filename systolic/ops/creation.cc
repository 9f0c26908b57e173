#include "systolic/ops/creation.h"

#include <algorithm>
#include <cmath>

#include "systolic/array/axes.h"
#include "systolic/base/message.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/rearrange.h"
#include "systolic/ops/reductions.h"

namespace systolic {

namespace {

void check_step(bool is_zero) {
  if (!is_zero) return;
  internal::Message("arange")
      .expected("a step that is not 0")
      .got(0)
      .raise<ValueError>();
}

// Columns less rows of a matrix, int32: the number of each diagonal.
Tensor diagonals(int64_t rows, int64_t columns) {
  return arange(columns) - expand_dims(arange(rows), 1);
}

int32_t narrow(int64_t k) {
  constexpr int64_t kMost = 1 << 30;
  return static_cast<int32_t>(std::clamp(k, -kMost, kMost));
}

Tensor require_matrix(const Arg& x, const char* who) {
  const Tensor in = x.tensor();
  if (in.rank() >= 2) return in;
  internal::Message(who)
      .expected("an input of at least 2 axes")
      .got(in.spec())
      .at(x.where())
      .raise<ShapeError>();
}

// A vector as the k-th diagonal.
Tensor matrix_of(const Tensor& x, int64_t k) {
  const int64_t n = x.shape()[0] + std::abs(k);
  const Tensor column = expand_dims(
      pad(x, {{std::max<int64_t>(-k, 0), std::max<int64_t>(k, 0)}}), 1);
  return where(equal(diagonals(n, n), narrow(k)), column, 0);
}

}  // namespace

Tensor internal::ops::int_range(int64_t start, int64_t stop, int64_t step,
                                DType dtype) {
  check_step(step == 0);
  const int64_t span = step > 0 ? stop - start : start - stop;
  const int64_t stride = std::abs(step);
  const int64_t count = std::max<int64_t>((span + stride - 1) / stride, 0);
  const DType wide = dtype == DType::int64 ? dtype : DType::int32;
  return cast(arange(count, wide) * step + start, dtype);
}

Tensor internal::ops::real_range(double start, double stop, double step,
                                 DType dtype) {
  check_step(step == 0);
  const double count = std::max(std::ceil((stop - start) / step), 0.0);
  if (!std::isfinite(count)) {
    Message("arange")
        .expected("finite numbers")
        .got(start, ", ", stop, " and ", step)
        .raise<ValueError>();
  }
  const Tensor places = arange(static_cast<int64_t>(count), DType::int32);
  const DType wide = dtype == DType::float64 ? dtype : DType::float32;
  return cast(cast(places, wide) * step + start, dtype);
}

Tensor linspace(const Arg& start, const Arg& stop, int64_t num,
                const LinspaceOptions& options) {
  if (num < 0) {
    internal::Message("linspace")
        .expected("num of at least 0")
        .got(num)
        .at(start.where())
        .raise<ValueError>();
  }
  auto [first, last] = internal::graph::promote_operands(start, stop);
  const DType dtype = options.dtype.value_or(
      floating_dtype(promote(first.dtype(), last.dtype())));
  const DType real = floating_dtype(dtype);
  first = cast(first, real);
  last = cast(last, real);
  const int rank = std::max(first.rank(), last.rank());
  const int axis = resolve_axis(options.axis, rank + 1, "linspace");
  const int64_t steps = options.endpoint ? num - 1 : num;
  Shape line = Shape::filled(rank + 1, 1);
  line.set(0, num);
  const Tensor place = cast(reshape(arange(num), line), real);
  const Tensor part = place / static_cast<double>(std::max<int64_t>(steps, 1));
  Tensor result = first + (last - first) * part;
  // Rounding must not move the end.
  if (options.endpoint && num > 1) {
    result = where(place < static_cast<double>(num - 1), result, last);
  }
  return cast(moveaxis(result, 0, axis), dtype);
}

Tensor logspace(const Arg& start, const Arg& stop, int64_t num,
                const LinspaceOptions& options) {
  LinspaceOptions exponents = options;
  exponents.dtype.reset();
  const Tensor power_of = linspace(start, stop, num, exponents);
  const Tensor result = power(full(Shape::scalar(), 10), power_of);
  return cast(result, options.dtype.value_or(power_of.dtype()));
}

Tensor full_like(const Arg& x, const Arg& value) {
  const Tensor in = x.tensor();
  return broadcast_to(cast(value, in.dtype()), in.shape());
}

Tensor eye(int64_t rows, const EyeOptions& options) {
  const int64_t columns = options.columns.value_or(rows);
  if (rows < 0 || columns < 0) {
    internal::Message("eye")
        .expected("rows and columns of at least 0")
        .got(rows, " and ", columns)
        .raise<ValueError>();
  }
  return cast(equal(diagonals(rows, columns), narrow(options.k)),
              options.dtype);
}

Tensor identity(int64_t n, DType dtype) { return eye(n, {.dtype = dtype}); }

Tensor tri(int64_t rows, const EyeOptions& options) {
  const Tensor place = diagonals(rows, options.columns.value_or(rows));
  return cast(place <= narrow(options.k), options.dtype);
}

Tensor diag(const Arg& x, int64_t k) {
  const Tensor in = x.tensor();
  if (in.rank() == 1) return matrix_of(in, k);
  if (in.rank() == 2) return diagonal(Arg(in, x.where()), {.offset = k});
  internal::Message("diag")
      .expected("a vector or a matrix")
      .got(in.spec())
      .at(x.where())
      .raise<ShapeError>();
}

Tensor diagflat(const Arg& x, int64_t k) {
  return matrix_of(reshape(x, {-1}), k);
}

Tensor diagonal(const Arg& x, const DiagonalOptions& options) {
  const Tensor in = require_matrix(x, "diagonal");
  const int first = resolve_axis(options.axis1, in.rank(), "diagonal");
  const int second = resolve_axis(options.axis2, in.rank(), "diagonal");
  if (first == second) {
    internal::Message("diagonal")
        .expected("two different axes")
        .got(options.axis1, " and ", options.axis2)
        .at(x.where())
        .raise<ValueError>();
  }
  const Tensor matrices =
      moveaxis(Arg(in, x.where()), {first, second}, {-2, -1});
  const int64_t rows = in.shape()[first], columns = in.shape()[second];
  std::vector<int32_t> places;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t j = i + options.offset;
    if (j < 0 || j >= columns) continue;
    places.push_back(static_cast<int32_t>(i * columns + j));
  }
  Shape flat = matrices.shape();
  flat.erase(-1);
  flat.set(-1, rows * columns);
  return take(reshape(matrices, flat), Array::from(places), {.axis = -1});
}

Tensor trace(const Arg& x, const DiagonalOptions& options) {
  return sum(diagonal(x, options), {.axis = -1});
}

Tensor tril(const Arg& x, int64_t k) {
  const Tensor in = require_matrix(x, "tril");
  const Tensor place = diagonals(in.shape()[-2], in.shape()[-1]);
  return where(place <= narrow(k), in, zeros_like(in));
}

Tensor triu(const Arg& x, int64_t k) {
  const Tensor in = require_matrix(x, "triu");
  const Tensor place = diagonals(in.shape()[-2], in.shape()[-1]);
  return where(place >= narrow(k), in, zeros_like(in));
}

std::vector<Tensor> meshgrid(const std::vector<Tensor>& xs,
                             const std::string& indexing) {
  if (indexing != "xy" && indexing != "ij") {
    internal::Message("meshgrid")
        .expected("indexing \"xy\" or \"ij\"")
        .got("\"", indexing, "\"")
        .raise<ValueError>();
  }
  const int rank = static_cast<int>(xs.size());
  const auto axis_of = [&](int i) {
    return indexing == "xy" && rank > 1 && i < 2 ? 1 - i : i;
  };
  Shape shape = Shape::filled(rank, 1);
  for (int i = 0; i < rank; ++i) {
    shape.set(axis_of(i), xs[static_cast<size_t>(i)].shape().elements());
  }
  std::vector<Tensor> grids;
  for (int i = 0; i < rank; ++i) {
    Shape line = Shape::filled(rank, 1);
    line.set(axis_of(i), shape[axis_of(i)]);
    grids.push_back(
        broadcast_to(reshape(xs[static_cast<size_t>(i)], line), shape));
  }
  return grids;
}

}  // namespace systolic
