#include "systolic/ops/segment.h"

#include <algorithm>

#include "systolic/array/arrays.h"
#include "systolic/base/message.h"
#include "systolic/graph/elementwise.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;
using stablehlo::Combine;

namespace {

struct SegmentAttributes {
  int64_t num_segments = 0;
  bool sorted = false;
  template <class V>
  void visit(V&& v) const {
    v("num_segments", num_segments);
    v("sorted", sorted);
  }
};

Specs infer_segment(Infer& in, const SegmentAttributes& o) {
  refuse_float8(in);
  const Shape &data = in.shape(0), &ids = in.shape(1);
  if (ids.rank() != 1 || data.rank() < 1 || data[0] != ids[0]) {
    in.error()
        .expected("one segment number for each row of data")
        .got(ids, " for ", data)
        .raise<ShapeError>();
  }
  Shape shape = data;
  shape.set(0, o.num_segments);
  return TensorSpec{in.dtype(0), shape};
}

Specs infer_extreme(Infer& in, const SegmentAttributes& o) {
  refuse_complex(in);
  return infer_segment(in, o);
}

template <Combine combine>
Values lower_segment(Lower& l, const SegmentAttributes& o) {
  return {l.e.scatter_rows(combine, l.result().shape, l[1], l[0], o.sorted)};
}

// The rows of `x`, one for each segment, at the segments' rows; zeros where a
// number is no segment's.
Tensor spread(Vjp& v, const SegmentAttributes& o, const Tensor& x) {
  const Tensor ids = v.input(1);
  const Tensor inside = logical_and(ids >= 0, ids < o.num_segments);
  Shape column = Shape::filled(v.input_spec(0).shape.rank(), 1);
  column.set(0, ids.shape()[0]);
  if (o.num_segments == 0) return zeros(v.input_spec(0).shape, x.dtype());
  return where(reshape(inside, column), take(x, where(inside, ids, 0)), 0);
}

SegmentOptions options_of(const SegmentAttributes& o) {
  return {.num_segments = o.num_segments, .sorted = o.sorted};
}

// The gradient of an extremum is shared by the elements that reach it.
Grads extremum_gradient(Vjp& v, const SegmentAttributes& o) {
  const DType dtype = v.input_spec(0).dtype;
  const Tensor hit = cast(equal(v.input(0), spread(v, o, v.output())), dtype);
  const Tensor hits = segment_sum(hit, v.input(1), options_of(o));
  return {hit * spread(v, o, v.gradient() / maximum(hits, 1)), Tensor()};
}

constexpr Op<SegmentAttributes> kSegmentSum{
    .name = "segment_sum",
    .infer = infer_segment,
    .lower = lower_segment<Combine::add>,
    .vjp =
        [](Vjp& v, const SegmentAttributes& o) {
          return Grads{spread(v, o, v.gradient()), Tensor()};
        },
    .residuals = {2, 0}};

constexpr Op<SegmentAttributes> kSegmentProd{
    .name = "segment_prod",
    .infer = infer_segment,
    .lower = lower_segment<Combine::multiply>,
    .vjp =
        [](Vjp& v, const SegmentAttributes& o) {
          // The product of the others, as in prod.
          const Tensor x = v.input(0), ids = v.input(1);
          const Tensor zero = equal(x, 0);
          const SegmentOptions options = options_of(o);
          const Tensor zeros =
              spread(v, o, segment_sum(cast(zero, x.dtype()), ids, options));
          const Tensor nonzero = where(zero, 1, x);
          const Tensor product =
              spread(v, o, segment_prod(nonzero, ids, options));
          const Tensor others =
              where(equal(zeros, 0), product / nonzero,
                    where(logical_and(zero, equal(zeros, 1)), product, 0));
          return Grads{spread(v, o, v.gradient()) * others, Tensor()};
        },
    .residuals = {3, 0}};

constexpr Op<SegmentAttributes> kSegmentMax{
    .name = "segment_max",
    .infer = infer_extreme,
    .lower = lower_segment<Combine::maximum>,
    .vjp = extremum_gradient,
    .residuals = {3, 1}};

constexpr Op<SegmentAttributes> kSegmentMin{
    .name = "segment_min",
    .infer = infer_extreme,
    .lower = lower_segment<Combine::minimum>,
    .vjp = extremum_gradient,
    .residuals = {3, 1}};

constexpr const OpDef* kCatalog[] = {
    &kDefinition<kSegmentSum>, &kDefinition<kSegmentProd>,
    &kDefinition<kSegmentMax>, &kDefinition<kSegmentMin>};

Tensor as_ids(const Arg& segment_ids, const char* who) {
  if (!is_integer(segment_ids.dtype())) {
    internal::Message(who)
        .expected("integer segment numbers")
        .got(segment_ids.dtype())
        .at(segment_ids.where())
        .raise<TypeError>();
  }
  return cast(segment_ids, DType::int32);
}

// As many segments as the numbers name, where their values are at hand.
int64_t count_segments(const Tensor& ids, const char* who,
                       const SourceLocation& where) {
  const std::optional<Array> known = known_value(ids);
  if (!known) {
    internal::Message(who)
        .rule("a program's shapes are fixed when it is recorded")
        .expected("num_segments")
        .got("none, and segment numbers that a device computes")
        .hint("pass {.num_segments = ...}")
        .at(where)
        .raise<ValueError>();
  }
  if (known->size() == 0) return 0;
  return std::max<int64_t>(0, int64_t{max(*known).item<int32_t>()} + 1);
}

template <const auto& op>
Tensor segment(const Arg& data, const Arg& segment_ids,
               const SegmentOptions& options) {
  const char* who = op.name.data();
  const Tensor ids = as_ids(segment_ids, who);
  const int64_t count = options.num_segments
                            ? *options.num_segments
                            : count_segments(ids, who, data.where());
  if (count < 0) {
    internal::Message(who)
        .expected("num_segments of 0 or more")
        .got(count)
        .at(data.where())
        .raise<ValueError>();
  }
  return record<op>({data.tensor().ref(), ids.ref()},
                    SegmentAttributes{count, options.sorted}, data.where());
}

// The number of rows of each segment, at least 1, beside its rows.
Tensor counts_beside(const Tensor& totals, const Arg& segment_ids) {
  const Tensor ids = segment_ids.tensor();
  const Tensor ones = full(ids.shape(), 1);
  const Tensor counts =
      segment_sum(ones, ids, {.num_segments = totals.shape()[0]});
  Shape column = Shape::filled(totals.rank(), 1);
  column.set(0, totals.shape()[0]);
  return cast(reshape(maximum(counts, 1), column), totals.dtype());
}

// The axes of data that segment_ids have, as one.
std::pair<Tensor, Tensor> flatten(const Arg& data, const Arg& segment_ids) {
  const Tensor x = data.tensor(), ids = segment_ids.tensor();
  if (ids.rank() == 1 || ids.rank() > x.rank()) return {x, ids};
  Shape shape{-1};
  for (int i = 0; i < x.rank(); ++i) {
    if (i >= ids.rank()) {
      shape.push_back(x.shape()[i]);
    } else if (x.shape()[i] != ids.shape()[i]) {
      return {x, ids};  // the op's shape rule says why not
    }
  }
  return {reshape(Arg(x, data.where()), shape), reshape(ids, Shape{-1})};
}

Tensor unsorted(Tensor (*f)(const Arg&, const Arg&, const SegmentOptions&),
                const Arg& data, const Arg& segment_ids, int64_t count) {
  const auto [x, ids] = flatten(data, segment_ids);
  return f(Arg(x, data.where()), ids, {.num_segments = count});
}

}  // namespace

std::span<const OpDef* const> internal::ops::segment_catalog() {
  return kCatalog;
}

Tensor segment_sum(const Arg& data, const Arg& segment_ids,
                   const SegmentOptions& options) {
  return segment<kSegmentSum>(data, segment_ids, options);
}
Tensor segment_max(const Arg& data, const Arg& segment_ids,
                   const SegmentOptions& options) {
  return segment<kSegmentMax>(data, segment_ids, options);
}
Tensor segment_min(const Arg& data, const Arg& segment_ids,
                   const SegmentOptions& options) {
  return segment<kSegmentMin>(data, segment_ids, options);
}
Tensor segment_prod(const Arg& data, const Arg& segment_ids,
                    const SegmentOptions& options) {
  return segment<kSegmentProd>(data, segment_ids, options);
}

Tensor segment_mean(const Arg& data, const Arg& segment_ids,
                    const SegmentOptions& options) {
  const Tensor real = cast(data, floating_dtype(data.dtype()));
  const Tensor totals =
      segment<kSegmentSum>(Arg(real, data.where()), segment_ids, options);
  return totals / counts_beside(totals, segment_ids);
}

Tensor unsorted_segment_sum(const Arg& data, const Arg& segment_ids,
                            int64_t num_segments) {
  return unsorted(segment_sum, data, segment_ids, num_segments);
}
Tensor unsorted_segment_mean(const Arg& data, const Arg& segment_ids,
                             int64_t num_segments) {
  return unsorted(segment_mean, data, segment_ids, num_segments);
}
Tensor unsorted_segment_max(const Arg& data, const Arg& segment_ids,
                            int64_t num_segments) {
  return unsorted(segment_max, data, segment_ids, num_segments);
}
Tensor unsorted_segment_min(const Arg& data, const Arg& segment_ids,
                            int64_t num_segments) {
  return unsorted(segment_min, data, segment_ids, num_segments);
}
Tensor unsorted_segment_prod(const Arg& data, const Arg& segment_ids,
                             int64_t num_segments) {
  return unsorted(segment_prod, data, segment_ids, num_segments);
}

Tensor unsorted_segment_sqrt_n(const Arg& data, const Arg& segment_ids,
                               int64_t num_segments) {
  const auto [x, ids] = flatten(data, segment_ids);
  const Tensor real = cast(x, floating_dtype(x.dtype()));
  const Tensor totals =
      segment_sum(Arg(real, data.where()), ids, {.num_segments = num_segments});
  return totals / sqrt(counts_beside(totals, ids));
}

}  // namespace systolic
