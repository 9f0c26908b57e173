#include "systolic/ops/sort.h"

#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/creation.h"
#include "systolic/ops/gather.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/slicing.h"
#include "systolic/stablehlo/indexing.h"

namespace systolic {

using namespace internal::graph;

namespace {

struct SortAttributes {
  int64_t axis = 0;
  bool descending = false;
  template <class V>
  void visit(V&& v) const {
    v("axis", axis);
    v("descending", descending);
  }
};

// The values in order, and where they were.
constexpr Op<SortAttributes> kSort{
    .name = "sort",
    .infer =
        [](Infer& in, const SortAttributes&) {
          refuse_complex(in);
          return Specs(
              std::vector<TensorSpec>{in[0], {DType::int32, in.shape(0)}});
        },
    .lower =
        [](Lower& l, const SortAttributes& o) {
          const auto places = l.e.iota(l.result(1), o.axis);
          const internal::stablehlo::Value operands[] = {l[0], places};
          return internal::stablehlo::sort(l.e, operands, o.axis, o.descending);
        },
    .vjp =
        [](Vjp& v, const SortAttributes& o) {
          // Each goes back to where it came from.
          return Grads{put_along_axis(zeros_of(v.input_spec(0)), v.output(1),
                                      v.gradient(), static_cast<int>(o.axis))};
        },
    .residuals = {0, 2}};

constexpr const OpDef* kCatalog[] = {&kDefinition<kSort>};

std::vector<Tensor> sort_both(const Arg& x, const SortOptions& options,
                              const char* who) {
  Tensor in = x.tensor();
  if (!options.axis) in = reshape(Arg(in, x.where()), {-1});
  const int axis = resolve_axis(options.axis.value_or(0), in.rank(), who);
  return record_all<kSort>({in.ref()}, SortAttributes{axis, options.descending},
                           x.where());
}

int64_t require_size(const std::optional<int64_t>& size, const char* who,
                     const SourceLocation& where) {
  if (size && *size >= 0) return *size;
  internal::Message message(who);
  message.expected("the number of results as .size");
  if (size) {
    message.got(*size);
  } else {
    message.got("none");
  }
  message.hint("a program has fixed shapes: give the most that there can be")
      .at(where)
      .raise<ValueError>();
}

// Whether the flattened, sorted values differ from the one before.
Tensor first_of_its_kind(const Tensor& sorted) {
  const Tensor changed =
      not_equal(slice(sorted, {Slice(1, {})}), slice(sorted, {Slice(0, -1)}));
  return concatenate({ones({1}, DType::boolean), changed}, 0);
}

// What unique is made of: the flattened values sorted, where they were, which
// are the first of their kind, and where those are, moved to the front.
struct Kinds {
  Tensor sorted, order, is_first, starts;
};

Kinds kinds_of(const Arg& x) {
  const auto both = sort_both(x, {.axis = std::nullopt}, "unique");
  Kinds kinds{both[0], both[1], first_of_its_kind(both[0]), {}};
  kinds.starts = argsort(logical_not(kinds.is_first));
  return kinds;
}

// The first `size` elements, or as many as there are and `fill` behind.
Tensor resize(const Tensor& x, int64_t size, const Arg& fill) {
  const int64_t have = x.shape()[0];
  if (size <= have) return slice(x, {Slice(0, size)});
  return pad(x, {{0, size - have}}, fill);
}

}  // namespace

std::span<const OpDef* const> internal::ops::sort_catalog() { return kCatalog; }

Tensor sort(const Arg& x, const SortOptions& options) {
  return sort_both(x, options, "sort")[0];
}

Tensor argsort(const Arg& x, const SortOptions& options) {
  return sort_both(x, options, "argsort")[1];
}

TopK top_k(const Arg& x, int64_t k) {
  const Tensor in = x.tensor();
  if (in.rank() < 1 || k < 0 || k > in.shape()[-1]) {
    internal::Message("top_k")
        .expected("k from 0 to the size of the last axis")
        .got("k = ", k)
        .detail("input", in.spec())
        .at(x.where())
        .raise<ValueError>();
  }
  const auto both =
      sort_both(Arg(in, x.where()), {.descending = true}, "top_k");
  const Indices front{ellipsis, Slice(0, k)};
  return {slice(both[0], front), slice(both[1], front)};
}

Tensor in_top_k(const Arg& targets, const Arg& predictions, int64_t k) {
  const Tensor labels = targets.tensor(), scores = predictions.tensor();
  if (labels.rank() != 1 || scores.rank() != 2 ||
      labels.shape()[0] != scores.shape()[0]) {
    internal::Message("in_top_k")
        .expected("targets (n) and predictions (n, classes)")
        .got(labels.shape(), " and ", scores.shape())
        .at(targets.where())
        .raise<ShapeError>();
  }
  const Tensor own =
      take_along_axis(scores, expand_dims(Arg(labels, targets.where()), 1), 1);
  const Tensor above = sum(cast(scores > own, DType::int32), {.axis = 1});
  return logical_and(above < k, isfinite(squeeze(own, 1)));
}

Tensor searchsorted(const Arg& sorted_sequence, const Arg& values,
                    const SearchSortedOptions& options) {
  auto [line, wanted] = promote_operands(sorted_sequence, values);
  if (options.side != "left" && options.side != "right") {
    internal::Message("searchsorted")
        .expected("side \"left\" or \"right\"")
        .got("\"", options.side, "\"")
        .at(values.where())
        .raise<ValueError>();
  }
  bool fits = line.rank() == 1 || line.rank() == wanted.rank();
  for (int i = 0; fits && i + 1 < line.rank(); ++i) {
    fits = line.shape()[i] == wanted.shape()[i];
  }
  if (line.rank() < 1 || !fits) {
    internal::Message("searchsorted")
        .expected("one sorted sequence, or one for each row of the values")
        .got(line.shape(), " and ", wanted.shape())
        .at(values.where())
        .raise<ShapeError>();
  }
  if (line.rank() > 1) line = expand_dims(line, -2);
  const Tensor each = expand_dims(Arg(wanted, values.where()), -1);
  const Tensor before = options.side == "left" ? line < each : line <= each;
  return sum(cast(before, DType::int32), {.axis = -1});
}

Tensor digitize(const Arg& x, const Arg& bins) {
  if (bins.is_scalar() || bins.tensor().rank() != 1) {
    internal::Message("digitize")
        .expected("bins of one axis")
        .got(bins.tensor().spec())
        .at(x.where())
        .raise<ShapeError>();
  }
  return searchsorted(bins, x, {.side = "right"});
}

Tensor unique(const Arg& x, const UniqueOptions& options) {
  return unique_with_counts(x, options).y;
}

UniqueWithCounts unique_with_counts(const Arg& x,
                                    const UniqueOptions& options) {
  const int64_t size = require_size(options.size, "unique", x.where());
  const int64_t elements = x.tensor().shape().elements();
  if (elements == 0) {
    internal::Message("unique")
        .expected("elements")
        .got(x.tensor().spec())
        .at(x.where())
        .raise<ShapeError>();
  }
  const Kinds kinds = kinds_of(x);
  const auto int_elements = static_cast<int32_t>(elements);
  const Tensor number = sum(cast(kinds.is_first, DType::int32));
  const Tensor places = arange(size), real = places < number;
  // Where each kind starts in the sorted values; behind the last, their end.
  const Tensor starts =
      where(arange(size + 1) < number,
            resize(kinds.starts, size + 1, int_elements), int_elements);
  const Tensor begin = slice(starts, {Slice(0, size)});
  const Tensor end = slice(starts, {Slice(1, {})});
  const Tensor fill =
      options.fill_value
          ? cast(full(Shape::scalar(), *options.fill_value), x.dtype())
          : kinds.sorted[0];
  UniqueWithCounts result;
  result.y =
      where(real, take(kinds.sorted, minimum(begin, int_elements - 1)), fill);
  result.count = where(real, end - begin, 0);
  // The kind of each sorted element is how many kinds start up to it.
  const Tensor kind =
      searchsorted(begin, arange(elements), {.side = "right"}) - 1;
  result.idx =
      put_along_axis(zeros({elements}, DType::int32), kinds.order, kind, 0);
  return result;
}

Tensor argwhere(const Arg& x, const NonzeroOptions& options) {
  const int64_t size = require_size(options.size, "argwhere", x.where());
  const Tensor in = x.tensor();
  const Tensor truth = reshape(Arg(cast(in, DType::boolean), x.where()), {-1});
  const Tensor real = arange(size) < sum(cast(truth, DType::int32));
  Tensor flat = resize(argsort(logical_not(truth)), size, 0);
  std::vector<Tensor> columns(static_cast<size_t>(in.rank()));
  for (int i = in.rank() - 1; i >= 0; --i) {
    const int64_t length = std::max<int64_t>(in.shape()[i], 1);
    columns[static_cast<size_t>(i)] =
        where(real, mod(flat, length), options.fill_value);
    flat = floor_divide(flat, length);
  }
  if (columns.empty()) return zeros({size, 0}, DType::int32);
  return stack(columns, -1);
}

Tensor bincount(const Arg& x, const BincountOptions& options) {
  const int64_t size = require_size(options.size, "bincount", x.where());
  const Tensor in = x.tensor();
  if (!is_integer(in.dtype())) {
    internal::Message("bincount")
        .expected("integers")
        .got(in.dtype())
        .at(x.where())
        .raise<TypeError>();
  }
  const Tensor flat = reshape(Arg(in, x.where()), {-1, 1});
  const Tensor weights = options.weights.is_defined()
                             ? reshape(options.weights, {-1})
                             : ones({flat.shape()[0]}, DType::int32);
  return internal::ops::scatter_add(cast(flat, DType::int32), weights, {size});
}

Histogram histogram(const Arg& x, const HistogramOptions& options) {
  if (options.bins < 1) {
    internal::Message("histogram")
        .expected("bins of at least 1")
        .got(options.bins)
        .at(x.where())
        .raise<ValueError>();
  }
  const Tensor in = x.tensor();
  const DType dtype = floating_dtype(in.dtype());
  const Tensor flat = reshape(Arg(cast(in, dtype), x.where()), {-1});
  const Tensor low =
      options.range ? cast(full(Shape::scalar(), options.range->first), dtype)
                    : min(flat);
  const Tensor high =
      options.range ? cast(full(Shape::scalar(), options.range->second), dtype)
                    : max(flat);
  // A range of no width is widened, as NumPy does.
  const Tensor margin = where(equal(low, high), 0.5, 0);
  const Tensor edges = linspace(low - margin, high + margin, options.bins + 1);
  const Tensor inside = logical_and(flat >= low, flat <= high);
  const Tensor bin = minimum(digitize(flat, edges) - 1, options.bins - 1);
  return {bincount(where(inside, bin, -1), {.size = options.bins}), edges};
}

}  // namespace systolic
