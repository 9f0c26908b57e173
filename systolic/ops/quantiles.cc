// Quantiles: places between the sorted elements.
// Tested by: systolic/ops/statistics_platform_test.cc
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/ops/arithmetic.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/rearrange.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/sort.h"
#include "systolic/ops/statistics.h"

namespace systolic {

namespace {

// The axes' elements as one last axis.
Tensor joined(const Tensor& x, const Axes& axes) {
  std::vector<int> last;
  for (int i = 0; i < axes.size(); ++i) last.push_back(i - axes.size());
  const Tensor moved = moveaxis(x, axes, last);
  Shape shape(
      moved.shape().dims().first(static_cast<size_t>(x.rank() - axes.size())));
  shape.push_back(-1);
  return reshape(moved, shape);
}

// Where a quantile lies among n sorted elements: between two of them, or, for
// the methods that choose, at one.
struct Place {
  Tensor below, above, share;
};

Place place_of(const Tensor& q, int64_t n, const QuantileOptions& options,
               const SourceLocation& where) {
  const Tensor exact = q * static_cast<double>(n - 1);
  const Tensor below = floor(exact), above = ceil(exact);
  if (options.method == "linear") return {below, above, exact - below};
  if (options.method == "lower") return {below, below, q * 0};
  if (options.method == "higher") return {above, above, q * 0};
  if (options.method == "midpoint") return {below, above, q * 0 + 0.5};
  if (options.method == "nearest") {
    const Tensor nearest = round(exact);
    return {nearest, nearest, q * 0};
  }
  internal::Message("quantile")
      .expected(
          "the method \"linear\", \"lower\", \"higher\", \"midpoint\" or "
          "\"nearest\"")
      .got("\"", options.method, "\"")
      .at(where)
      .raise<ValueError>();
}

}  // namespace

Tensor quantile(const Arg& x, const Arg& q, const QuantileOptions& options) {
  const Tensor in = cast(x, floating_dtype(x.dtype()));
  const DType wide =
      in.dtype() == DType::float64 ? DType::float64 : DType::float32;
  const Tensor places = cast(q, wide);
  if (places.rank() > 1) {
    internal::Message("quantile")
        .expected("a number or a vector q")
        .got(places.shape())
        .at(x.where())
        .raise<ShapeError>();
  }
  const Axes axes = options.axis.resolve(in.rank(), "quantile");
  const Tensor line = sort(joined(in, axes));
  const int64_t n = line.shape()[-1];
  if (n == 0) {
    internal::Message("quantile")
        .expected("at least one element along the axes")
        .got(in.shape())
        .at(x.where())
        .raise<ValueError>();
  }
  const Place place = place_of(places, n, options, x.where());
  const auto at = [&](const Tensor& index) {
    return cast(take(line, cast(index, DType::int32), {.axis = -1}), wide);
  };
  const Tensor low = at(place.below);
  Tensor result = low + (at(place.above) - low) * place.share;
  // As NumPy: of what holds a NaN there is no order.
  const Tensor unordered = any(isnan(line), {.axis = -1, .keepdims = true});
  const Tensor lost = places.rank() == 0 ? squeeze(unordered, -1) : unordered;
  result = where(lost, std::numeric_limits<double>::quiet_NaN(), result);
  if (places.rank() == 1) result = moveaxis(result, -1, 0);
  if (options.keepdims) {
    Shape shape = places.shape();
    for (int i = 0; i < in.rank(); ++i) {
      shape.push_back(axes.contains(i) ? 1 : in.shape()[i]);
    }
    result = reshape(result, shape);
  }
  return cast(result, in.dtype());
}

Tensor median(const Arg& x, const ReduceOptions& options) {
  return quantile(x, 0.5, {.axis = options.axis, .keepdims = options.keepdims});
}

}  // namespace systolic
