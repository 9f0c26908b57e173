#include "systolic/ops/cumulative.h"

#include <cmath>

#include "systolic/array/axes.h"
#include "systolic/base/message.h"
#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/arithmetic.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/limits.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/slicing.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;

namespace {

struct ScanAttributes {
  int64_t axis = 0;
  bool exclusive = false;
  bool reverse = false;
  template <class V>
  void visit(V&& v) const {
    v("axis", axis);
    v("exclusive", exclusive);
    v("reverse", reverse);
  }
};

Tensor scan_sum(const Tensor& x, const ScanAttributes& o,
                const SourceLocation& where);

// Every element takes part in its followers' sums at distances 1, 2, 4 ...:
// so log2(n) additions of whole Tensors make all prefixes.
Values lower_cumsum(Lower& l, const ScanAttributes& o) {
  const int64_t size = l[0].spec.shape[static_cast<int>(o.axis)];
  const auto rank = static_cast<size_t>(l[0].spec.shape.rank());
  const stablehlo::Value zero =
      l.e.splat({l[0].spec.dtype, Shape::scalar()}, 0);
  const auto shifted = [&](const stablehlo::Value& x, int64_t distance) {
    std::vector<stablehlo::EdgePadding> edges(rank);
    edges[static_cast<size_t>(o.axis)] =
        o.reverse ? stablehlo::EdgePadding{-distance, distance}
                  : stablehlo::EdgePadding{distance, -distance};
    return l.e.pad(x, zero, edges, std::vector<int64_t>(rank, 0));
  };
  stablehlo::Value sum = l[0];
  if (o.exclusive && size > 0) sum = shifted(sum, 1);
  for (int64_t distance = 1; distance < size; distance *= 2) {
    sum = l.e.binary("add", sum, shifted(sum, distance));
  }
  return {sum};
}

constexpr Op<ScanAttributes> kCumsum{
    .name = "cumsum",
    .infer =
        [](Infer& in, const ScanAttributes&) {
          refuse_float8(in);
          if (in.dtype(0) == DType::boolean) {
            in.error().expected("numbers").got("bool").raise<TypeError>();
          }
          return Specs(in[0]);
        },
    .lower = lower_cumsum,
    .vjp =
        [](Vjp& v, const ScanAttributes& o) {
          return Grads{scan_sum(v.gradient(), {o.axis, o.exclusive, !o.reverse},
                                SourceLocation::current())};
        },
    .residuals = {0, 0}};

constexpr const OpDef* kCatalog[] = {&kDefinition<kCumsum>};

Tensor scan_sum(const Tensor& x, const ScanAttributes& o,
                const SourceLocation& where) {
  return record<kCumsum>({x.ref()}, o, where);
}

// The input of a scan, flattened unless there is an axis, and the axis.
struct Line {
  Tensor x;
  ScanAttributes attributes;
};

Line line_of(const Arg& x, const CumulateOptions& options, const char* who) {
  Tensor in = x.tensor();
  if (in.dtype() == DType::boolean) in = cast(in, DType::int32);
  if (!options.axis) in = reshape(Arg(in, x.where()), Shape{-1});
  const int axis =
      options.axis ? resolve_axis(*options.axis, in.rank(), who) : 0;
  return {in, {axis, options.exclusive, options.reverse}};
}

// As lower_cumsum, made of ops that have gradients: so the gradient is right
// where factors are zero, too.
Tensor scan(const Line& line, const Array& neutral,
            Tensor (*combine)(const Arg&, const Arg&)) {
  const ScanAttributes& o = line.attributes;
  const int64_t size = line.x.shape()[static_cast<int>(o.axis)];
  const auto rank = static_cast<size_t>(line.x.rank());
  const Tensor edge = constant(neutral);
  const auto shifted = [&](const Tensor& x, int64_t distance) {
    std::vector<int64_t> low(rank, 0), high(rank, 0);
    low[static_cast<size_t>(o.axis)] = o.reverse ? -distance : distance;
    high[static_cast<size_t>(o.axis)] = o.reverse ? distance : -distance;
    return internal::ops::pad_edges(x, edge, low, high,
                                    std::vector<int64_t>(rank, 0));
  };
  Tensor result = line.x;
  if (o.exclusive && size > 0) result = shifted(result, 1);
  for (int64_t distance = 1; distance < size; distance *= 2) {
    result = combine(result, shifted(result, distance));
  }
  return result;
}

}  // namespace

std::span<const OpDef* const> internal::ops::cumulative_catalog() {
  return kCatalog;
}

Tensor cumsum(const Arg& x, const CumulateOptions& options) {
  const Line line = line_of(x, options, "cumsum");
  return scan_sum(line.x, line.attributes, x.where());
}

Tensor cumprod(const Arg& x, const CumulateOptions& options) {
  const Line line = line_of(x, options, "cumprod");
  return scan(line, Array::full(Shape::scalar(), 1, line.x.dtype()), multiply);
}

Tensor cummax(const Arg& x, const CumulateOptions& options) {
  const Line line = line_of(x, options, "cummax");
  return scan(line, internal::ops::lowest(line.x.dtype()), maximum);
}

Tensor cummin(const Arg& x, const CumulateOptions& options) {
  const Line line = line_of(x, options, "cummin");
  return scan(line, internal::ops::highest(line.x.dtype()), minimum);
}

Tensor logcumsumexp(const Arg& x, const CumulateOptions& options) {
  const Tensor real = cast(x, floating_dtype(x.dtype()));
  const Line line = line_of(Arg(real, x.where()), options, "logcumsumexp");
  return scan(line, internal::ops::lowest(real.dtype()), logaddexp);
}

Tensor cumulative_logsumexp(const Arg& x, const CumulateOptions& options) {
  return logcumsumexp(x, options);
}

Tensor diff(const Arg& x, const DiffOptions& options) {
  Tensor result = x.tensor();
  if (options.n < 0) {
    internal::Message("diff")
        .expected("n of 0 or more")
        .got(options.n)
        .at(x.where())
        .raise<ValueError>();
  }
  const int axis = resolve_axis(options.axis, result.rank(), "diff");
  for (int i = 0; i < options.n && result.shape()[axis] > 0; ++i) {
    std::vector<Index> upper(static_cast<size_t>(axis), Index(Slice()));
    std::vector<Index> lower = upper;
    upper.push_back(Slice(1, {}));
    lower.push_back(Slice(0, -1));
    const Tensor above = slice(result, upper), below = slice(result, lower);
    result = result.dtype() == DType::boolean ? not_equal(above, below)
                                              : above - below;
  }
  return result;
}

}  // namespace systolic
