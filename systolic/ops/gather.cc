#include "systolic/ops/gather.h"

#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/positions.h"
#include "systolic/stablehlo/indexing.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;
using stablehlo::ScatterMode;

namespace {

// The shape of the slices that `indices` name in `x`.
Shape slices_shape(const Infer& in, const Shape& x, const Shape& indices) {
  if (indices.rank() < 1 || indices[-1] < 1 || indices[-1] > x.rank()) {
    in.error()
        .expected("indices whose last axis names 1 to ", x.rank(), " axes")
        .got("indices of shape ", indices)
        .detail("input", TensorSpec{in.dtype(0), x})
        .raise<ShapeError>();
  }
  Shape shape = indices;
  shape.erase(-1);
  for (int i = static_cast<int>(indices[-1]); i < x.rank(); ++i) {
    shape.push_back(x[i]);
  }
  return shape;
}

Specs infer_scatter(Infer& in, const auto& o) {
  if (o.mode != ScatterMode::replace) refuse_float8(in);
  const Shape wanted = slices_shape(in, in.shape(0), in.shape(1));
  if (in.shape(2) != wanted) {
    in.error()
        .expected("updates of shape ", wanted)
        .got(in.shape(2))
        .detail("input", in[0])
        .detail("indices", in[1])
        .raise<ShapeError>();
  }
  if (in.dtype(2) != in.dtype(0)) {
    in.error()
        .expected("updates of dtype ", in.dtype(0))
        .got(in.dtype(2))
        .raise<TypeError>();
  }
  return in[0];
}

struct ScatterOptions {
  ScatterMode mode = ScatterMode::add;
  template <class V>
  void visit(V&& v) const {
    v("mode", mode);
  }
};

Values lower_scatter(Lower& l, const ScatterOptions& o) {
  if (l[2].spec.shape.elements() == 0 || l[0].spec.shape.elements() == 0) {
    return {l[0]};
  }
  return {stablehlo::scatter_nd(l.e, l[0], l[1], l[2], o.mode)};
}

Tensor gather_at(const Tensor& x, const Tensor& indices,
                 const SourceLocation& where = SourceLocation::current());
template <const auto& op>
Tensor scatter_at(const Tensor& x, const Tensor& indices, const Tensor& updates,
                  ScatterMode mode,
                  const SourceLocation& where = SourceLocation::current()) {
  return record<op>({x.ref(), indices.ref(), updates.ref()},
                    ScatterOptions{mode}, where);
}

Grads scatter_gradient(Vjp& v, const ScatterOptions& o);

constexpr Op<ScatterOptions> kScatterNd{.name = "scatter_nd",
                                        .infer = infer_scatter,
                                        .lower = lower_scatter,
                                        .vjp = scatter_gradient,
                                        .residuals = {2, 0}};

Grads scatter_gradient(Vjp& v, const ScatterOptions& o) {
  const Tensor g = v.gradient(), indices = v.input(1);
  Grads grads(3);
  if (v.needs(0)) {
    grads[0] = o.mode == ScatterMode::add
                   ? g
                   : scatter_at<kScatterNd>(g, indices,
                                            zeros_of(v.input_spec(2)), o.mode);
  }
  if (v.needs(2)) grads[2] = gather_at(g, indices);
  return grads;
}

// As TensorFlow's: those that are the result share its gradient.
Grads extreme_gradient(Vjp& v, const ScatterOptions&) {
  const Tensor x = v.input(0), indices = v.input(1), y = v.output();
  const DType dtype = x.dtype();
  const Tensor kept = cast(equal(x, y), dtype);
  const Tensor written = cast(equal(v.input(2), gather_at(y, indices)), dtype);
  const Tensor count =
      scatter_at<kScatterNd>(kept, indices, written, ScatterMode::add);
  const Tensor share = v.gradient() / maximum(count, 1);
  return {kept * share, Tensor(), written * gather_at(share, indices)};
}

constexpr Op<ScatterOptions> kScatterExtreme{
    .name = "scatter_nd_extreme",
    .infer =
        [](Infer& in, const ScatterOptions& o) {
          refuse_complex(in);
          return infer_scatter(in, o);
        },
    .lower = lower_scatter,
    .vjp = extreme_gradient,
    .residuals = {7, 1}};

constexpr Op<> kGatherNd{
    .name = "gather_nd",
    .infer =
        [](Infer& in, const NoOptions&) {
          const Shape shape = slices_shape(in, in.shape(0), in.shape(1));
          if (in.shape(0).elements() == 0 && shape.elements() > 0) {
            in.error()
                .expected("an input with elements to take")
                .got(in[0])
                .raise<ShapeError>();
          }
          return Specs(TensorSpec{in.dtype(0), shape});
        },
    .lower =
        [](Lower& l, const NoOptions&) {
          if (l.result().shape.elements() == 0) {
            return Values{l.e.splat(l.result(), 0)};
          }
          return Values{stablehlo::gather_nd(l.e, l[0], l[1])};
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          return Grads{
              scatter_at<kScatterNd>(zeros_of(v.input_spec(0)), v.input(1),
                                     v.gradient(), ScatterMode::add),
              Tensor()};
        },
    .residuals = {2, 0}};

Tensor gather_at(const Tensor& x, const Tensor& indices,
                 const SourceLocation& where) {
  return record<kGatherNd>({x.ref(), indices.ref()}, NoOptions{}, where);
}

constexpr const OpDef* kCatalog[] = {&kDefinition<kGatherNd>,
                                     &kDefinition<kScatterNd>,
                                     &kDefinition<kScatterExtreme>};

void require_integers(std::string_view who, const Arg& indices) {
  if (is_integer(indices.dtype())) return;
  internal::Message(std::string(who))
      .expected("integer indices")
      .got(indices.dtype())
      .at(indices.where())
      .raise<TypeError>();
}

// `places` with negative ones counted from the end of axes of these sizes.
Tensor from_the_start(const Tensor& places, const Tensor& sizes) {
  const Tensor narrow = cast(places, DType::int32);
  if (!is_signed(places.dtype())) return narrow;
  return where(narrow < 0, narrow + sizes, narrow);
}

// Index vectors into `shape`, checked where known.
Tensor index_vectors(std::string_view who, const Arg& indices,
                     const Shape& shape, const SourceLocation& where) {
  require_integers(who, indices);
  const Tensor places = indices.tensor();
  if (places.rank() < 1 || places.shape()[-1] > shape.rank()) {
    return cast(places, DType::int32);  // the op says what is wrong
  }
  internal::ops::check_index_vectors(who, places, shape, where);
  std::vector<int32_t> sizes;
  for (int i = 0; i < places.shape()[-1]; ++i) {
    sizes.push_back(static_cast<int32_t>(shape[i]));
  }
  return from_the_start(places, constant(Array::from(sizes)));
}

template <const auto& op>
Tensor scatter_into(std::string_view who, const Arg& tensor, const Arg& indices,
                    const Arg& updates, ScatterMode mode) {
  const Tensor in = tensor.tensor();
  const Tensor places = index_vectors(who, indices, in.shape(), tensor.where());
  return scatter_at<op>(in, places, updates.tensor(in.dtype()), mode,
                        tensor.where());
}

// Positions of all axes for take_along_axis: `places` along `axis`, each
// element's own along the others.
Tensor full_positions(const Shape& x, const Tensor& places, int axis) {
  std::vector<Tensor> all;
  for (int i = 0; i < x.rank(); ++i) {
    if (i == axis) {
      all.push_back(places);
    } else if (x[i] == 1) {
      all.push_back(zeros(places.shape(), DType::int32));
    } else {
      Shape line = Shape::filled(x.rank(), 1);
      line.set(i, x[i]);
      all.push_back(broadcast_to(reshape(arange(x[i]), line), places.shape()));
    }
  }
  return stack(all, -1);
}

// The positions along one axis, and the shape of what is at them.
Tensor positions_along(std::string_view who, const Tensor& x,
                       const Arg& indices, int axis,
                       const SourceLocation& where) {
  require_integers(who, indices);
  const Tensor places = indices.tensor();
  if (places.rank() != x.rank()) {
    internal::Message(std::string(who))
        .expected("indices of the input's rank ", x.rank())
        .got(places.spec())
        .detail("input", x.spec())
        .at(where)
        .raise<ShapeError>();
  }
  const int64_t size = x.shape()[axis];
  internal::ops::check_positions(who, places, {-size, size - 1}, where);
  Shape others = x.shape();
  others.set(axis, 1);
  const Shape shape = broadcast(others, places.shape(), who.data());
  const Tensor line =
      from_the_start(places, full(Shape::scalar(), static_cast<int32_t>(size)));
  return full_positions(x.shape(), broadcast_to(Arg(line, where), shape), axis);
}

}  // namespace

std::span<const OpDef* const> internal::ops::gather_catalog() {
  return kCatalog;
}

Tensor internal::ops::scatter_add(const Tensor& indices, const Tensor& updates,
                                  const Shape& shape) {
  return scatter_at<kScatterNd>(zeros(shape, updates.dtype()), indices, updates,
                                ScatterMode::add);
}

Tensor gather_nd(const Arg& x, const Arg& indices) {
  const Tensor in = x.tensor();
  return gather_at(in,
                   index_vectors("gather_nd", indices, in.shape(), x.where()),
                   x.where());
}

Tensor tensor_scatter_nd_update(const Arg& tensor, const Arg& indices,
                                const Arg& updates) {
  return scatter_into<kScatterNd>("tensor_scatter_nd_update", tensor, indices,
                                  updates, ScatterMode::replace);
}

Tensor tensor_scatter_nd_add(const Arg& tensor, const Arg& indices,
                             const Arg& updates) {
  return scatter_into<kScatterNd>("tensor_scatter_nd_add", tensor, indices,
                                  updates, ScatterMode::add);
}

Tensor tensor_scatter_nd_sub(const Arg& tensor, const Arg& indices,
                             const Arg& updates) {
  return scatter_into<kScatterNd>("tensor_scatter_nd_sub", tensor, indices,
                                  -updates.tensor(tensor.dtype()),
                                  ScatterMode::add);
}

Tensor tensor_scatter_nd_max(const Arg& tensor, const Arg& indices,
                             const Arg& updates) {
  return scatter_into<kScatterExtreme>("tensor_scatter_nd_max", tensor, indices,
                                       updates, ScatterMode::maximum);
}

Tensor tensor_scatter_nd_min(const Arg& tensor, const Arg& indices,
                             const Arg& updates) {
  return scatter_into<kScatterExtreme>("tensor_scatter_nd_min", tensor, indices,
                                       updates, ScatterMode::minimum);
}

Tensor scatter_nd(const Arg& indices, const Arg& updates, const Shape& shape) {
  return scatter_into<kScatterNd>(
      "scatter_nd", Arg(zeros(shape, updates.dtype()), indices.where()),
      indices, updates, ScatterMode::add);
}

Tensor scatter(const Arg& indices, const Arg& values, const Shape& shape) {
  return scatter_nd(indices, values, shape);
}

Tensor scatter_update(const Arg& inputs, const Arg& indices,
                      const Arg& updates) {
  return tensor_scatter_nd_update(inputs, indices, updates);
}

Tensor take_along_axis(const Arg& x, const Arg& indices,
                       std::optional<int> axis) {
  Tensor in = x.tensor();
  if (!axis) {
    in = reshape(Arg(in, x.where()), {-1});
    const Tensor flat = reshape(indices, {-1});
    return take_along_axis(Arg(in, x.where()), flat, 0);
  }
  const int place = resolve_axis(*axis, in.rank(), "take_along_axis");
  return gather_at(
      in, positions_along("take_along_axis", in, indices, place, x.where()),
      x.where());
}

Tensor put_along_axis(const Arg& x, const Arg& indices, const Arg& values,
                      int axis) {
  const Tensor in = x.tensor();
  const int place = resolve_axis(axis, in.rank(), "put_along_axis");
  const Tensor places =
      positions_along("put_along_axis", in, indices, place, x.where());
  Shape shape = places.shape();
  shape.erase(-1);
  return scatter_at<kScatterNd>(in, places,
                                broadcast_to(values.tensor(in.dtype()), shape),
                                ScatterMode::replace, x.where());
}

}  // namespace systolic
