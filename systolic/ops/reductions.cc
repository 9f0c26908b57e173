#include "systolic/ops/reductions.h"

#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;
using stablehlo::Combine;

namespace {

// The axes as a program has them: resolved, in rising order.
struct ReduceAttributes {
  std::vector<int64_t> axes;
  bool keepdims = false;
  template <class V>
  void visit(V&& v) const {
    v("axes", axes);
    v("keepdims", keepdims);
  }
};

Shape shape_without(const Shape& shape, const std::vector<int64_t>& axes,
                    bool keepdims) {
  Shape result = Shape::scalar();
  size_t next = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    if (next < axes.size() && axes[next] == i) {
      ++next;
      if (keepdims) result.push_back(1);
    } else {
      result.push_back(shape[i]);
    }
  }
  return result;
}

Specs infer_reduce(Infer& in, const ReduceAttributes& o) {
  refuse_float8(in);
  return TensorSpec{in.dtype(0),
                    shape_without(in.shape(0), o.axes, o.keepdims)};
}

template <Combine combine>
Values lower_reduce(Lower& l, const ReduceAttributes& o) {
  return {l.e.reshape(l.e.reduce(combine, l[0], o.axes), l.result().shape)};
}

// TPUs' compiler breaks where it makes one of a product over a middle axis and
// of what reads it, as the gradient does.
Values lower_product(Lower& l, const ReduceAttributes& o) {
  Values product = lower_reduce<Combine::multiply>(l, o);
  if (l.has(internal::platforms::Capability::fused_products)) return product;
  const TensorSpec spec = product[0].spec;
  return l.e.statement("optimization_barrier", std::span(product),
                       std::span(&spec, 1));
}

// A value of the reduction's result, brought back to the input's shape.
Tensor spread(Vjp& v, const ReduceAttributes& o, const Tensor& value) {
  const Shape kept = shape_without(v.input_spec(0).shape, o.axes, true);
  return broadcast_to(reshape(value, kept), v.input_spec(0).shape);
}

constexpr Op<ReduceAttributes> kSum{
    .name = "sum",
    .infer = infer_reduce,
    .lower = lower_reduce<Combine::add>,
    .vjp =
        [](Vjp& v, const ReduceAttributes& o) {
          return Grads{spread(v, o, v.gradient())};
        },
    .residuals = {0, 0}};

constexpr Op<ReduceAttributes> kProd{
    .name = "prod",
    .infer = infer_reduce,
    .lower = lower_product,
    .vjp =
        [](Vjp& v, const ReduceAttributes& o) {
          // The product of the others, also where one factor is zero: with one
          // zero only its own gradient is left, with two there is none.
          const Tensor x = v.input(0);
          const Tensor zero = equal(x, 0);
          const ReduceOptions over{
              .axis = Axes(std::vector<int>(o.axes.begin(), o.axes.end())),
              .keepdims = true};
          const Tensor zeros = sum(cast(zero, x.dtype()), over);
          const Tensor nonzero = where(zero, 1, x);
          const Tensor product = prod(nonzero, over);
          const Tensor others =
              where(equal(zeros, 0), product / nonzero,
                    where(logical_and(zero, equal(zeros, 1)), product, 0));
          return Grads{spread(v, o, v.gradient()) * others};
        },
    .residuals = {1, 0}};

// The gradient of an extremum is shared by the elements that reach it.
Grads extremum_gradient(Vjp& v, const ReduceAttributes& o) {
  const Tensor hit =
      cast(equal(v.input(0), spread(v, o, v.output())), v.input_spec(0).dtype);
  const ReduceOptions over{
      .axis = Axes(std::vector<int>(o.axes.begin(), o.axes.end())),
      .keepdims = true};
  return {spread(v, o, v.gradient()) * hit / sum(hit, over)};
}

// Nothing is the largest or smallest of no elements.
Specs infer_extremum(Infer& in, const ReduceAttributes& o) {
  refuse_complex(in);
  for (const int64_t axis : o.axes) {
    if (in.shape(0)[static_cast<int>(axis)] != 0) continue;
    in.error()
        .expected("at least one element along axis ", axis)
        .got("none")
        .raise<ShapeError>();
  }
  return infer_reduce(in, o);
}

constexpr Op<ReduceAttributes> kMax{.name = "max",
                                    .infer = infer_extremum,
                                    .lower = lower_reduce<Combine::maximum>,
                                    .vjp = extremum_gradient,
                                    .residuals = {1, 1}};

constexpr Op<ReduceAttributes> kMin{.name = "min",
                                    .infer = infer_extremum,
                                    .lower = lower_reduce<Combine::minimum>,
                                    .vjp = extremum_gradient,
                                    .residuals = {1, 1}};

constexpr Op<ReduceAttributes> kAny{
    .name = "any",
    .infer = infer_reduce,
    .lower = lower_reduce<Combine::logical_or>,
    .vjp = not_differentiable("its result is bool"),
    .residuals = {0, 0}};

constexpr Op<ReduceAttributes> kAll{
    .name = "all",
    .infer = infer_reduce,
    .lower = lower_reduce<Combine::logical_and>,
    .vjp = not_differentiable("its result is bool"),
    .residuals = {0, 0}};

struct ArgReduceAttributes {
  int64_t axis = 0;
  bool largest = true;
  template <class V>
  void visit(V&& v) const {
    v("axis", axis);
    v("largest", largest);
  }
};

constexpr Op<ArgReduceAttributes> kArgReduce{
    .name = "argmax",
    .infer =
        [](Infer& in, const ArgReduceAttributes& o) {
          refuse_complex(in);
          if (in.shape(0)[static_cast<int>(o.axis)] == 0) {
            in.error()
                .expected("at least one element along axis ", o.axis)
                .got("none")
                .raise<ShapeError>();
          }
          return Specs(TensorSpec{DType::int32,
                                  shape_without(in.shape(0), {o.axis}, false)});
        },
    .lower =
        [](Lower& l, const ArgReduceAttributes& o) {
          return Values{l.e.arg_reduce(o.largest, l[0], o.axis)};
        },
    .vjp = not_differentiable("its result is a position"),
    .residuals = {0, 0}};

constexpr const OpDef* kCatalog[] = {
    &kDefinition<kSum>,      &kDefinition<kProd>, &kDefinition<kMax>,
    &kDefinition<kMin>,      &kDefinition<kAny>,  &kDefinition<kAll>,
    &kDefinition<kArgReduce>};

void check_axis(const Tensor& x, int axis, std::string_view who,
                const SourceLocation& where) {
  const int rank = x.rank();
  if (axis >= -rank && axis < rank) return;
  internal::Message message{std::string(who)};
  if (rank == 0) {
    message.expected("an input with axes, for axis = ", axis).got("a scalar");
  } else {
    message.expected("an axis from ", -rank, " to ", rank - 1)
        .got("axis = ", axis);
  }
  message.detail("input", x.spec()).at(where).raise<OutOfRangeError>();
}

ReduceAttributes attributes(const Tensor& x, const ReduceOptions& options,
                            std::string_view who, const SourceLocation& where) {
  if (options.axis.is_set()) {
    for (int axis : options.axis) check_axis(x, axis, who, where);
  }
  ReduceAttributes result;
  for (int axis : options.axis.resolve(x.rank(), who)) {
    result.axes.push_back(axis);
  }
  result.keepdims = options.keepdims;
  return result;
}

template <const auto& op>
Tensor reduce(const Tensor& x, const ReduceOptions& options,
              const SourceLocation& where) {
  return record<op>({x.ref()}, attributes(x, options, op.name, where), where);
}

Tensor arg_reduce(const Arg& x, const ArgReduceOptions& options, bool largest) {
  Tensor in = x.tensor();
  const int rank = in.rank();
  if (!options.axis) in = reshape(Arg(in, x.where()), Shape{-1});
  const char* who = largest ? "argmax" : "argmin";
  if (options.axis) check_axis(in, *options.axis, who, x.where());
  const int64_t axis =
      options.axis ? resolve_axis(*options.axis, rank, who) : 0;
  const Tensor result = record<kArgReduce>(
      {in.ref()}, ArgReduceAttributes{axis, largest}, x.where());
  if (!options.keepdims) return result;
  if (options.axis) return expand_dims(result, static_cast<int>(axis));
  Shape ones = Shape::scalar();
  for (int i = 0; i < rank; ++i) ones.push_back(1);
  return reshape(result, ones);
}

// Elements that are combined into one.
double count(const Tensor& x, const ReduceOptions& options) {
  double product = 1;
  for (int axis : options.axis.resolve(x.rank(), "mean")) {
    product *= static_cast<double>(x.shape()[axis]);
  }
  return product;
}

}  // namespace

std::span<const OpDef* const> internal::ops::reductions_catalog() {
  return kCatalog;
}

Tensor sum(const Arg& x, const ReduceOptions& options) {
  return reduce<kSum>(cast(x, sum_dtype(x.dtype())), options, x.where());
}

Tensor prod(const Arg& x, const ReduceOptions& options) {
  return reduce<kProd>(cast(x, sum_dtype(x.dtype())), options, x.where());
}

Tensor mean(const Arg& x, const ReduceOptions& options) {
  const Tensor real = cast(x, floating_dtype(x.dtype()));
  return reduce<kSum>(real, options, x.where()) / count(real, options);
}

Tensor var(const Arg& x, const ReduceOptions& options) {
  const Tensor real = cast(x, floating_dtype(x.dtype()));
  const Tensor center = mean(real, {.axis = options.axis, .keepdims = true});
  const Tensor distance = real - center;
  // Of complex numbers the squared distance, which is real.
  return mean(
      is_complex(real.dtype()) ? square(abs(distance)) : square(distance),
      options);
}

Tensor max(const Arg& x, const ReduceOptions& options) {
  return reduce<kMax>(x.tensor(), options, x.where());
}

Tensor min(const Arg& x, const ReduceOptions& options) {
  return reduce<kMin>(x.tensor(), options, x.where());
}

Tensor reduce_any(const Arg& x, const ReduceOptions& options) {
  return reduce<kAny>(cast(x, DType::boolean), options, x.where());
}

Tensor any(const Arg& x, const ReduceOptions& options) {
  return reduce_any(x, options);
}

Tensor reduce_all(const Arg& x, const ReduceOptions& options) {
  return reduce<kAll>(cast(x, DType::boolean), options, x.where());
}

Tensor logsumexp(const Arg& x, const ReduceOptions& options) {
  const Tensor real = cast(x, floating_dtype(x.dtype()));
  const Tensor top =
      stop_gradient(max(real, {.axis = options.axis, .keepdims = true}));
  const Tensor finite = where(isfinite(top), top, 0);
  const Tensor total = log(sum(exp(real - finite), options));
  return total + reshape(finite, total.shape());
}

Tensor argmax(const Arg& x, const ArgReduceOptions& options) {
  return arg_reduce(x, options, true);
}

Tensor argmin(const Arg& x, const ArgReduceOptions& options) {
  return arg_reduce(x, options, false);
}

}  // namespace systolic
