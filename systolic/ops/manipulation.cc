#include "systolic/ops/manipulation.h"

#include <algorithm>
#include <numeric>

#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/slicing.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;

namespace {

struct ShapeOptions {
  Shape shape;
  template <class V>
  void visit(V&& v) const {
    v("shape", shape);
  }
};

struct AxesOptions {
  std::vector<int64_t> axes;
  template <class V>
  void visit(V&& v) const {
    v("axes", axes);
  }
};

constexpr Op<ShapeOptions> kReshape{
    .name = "reshape",
    .infer =
        [](Infer& in, const ShapeOptions& o) {
          if (in.shape(0).elements() != o.shape.elements()) {
            in.error()
                .expected("a shape of ", in.shape(0).elements(), " elements")
                .got(o.shape, ", which has ", o.shape.elements())
                .raise<ShapeError>();
          }
          return Specs(TensorSpec{in.dtype(0), o.shape});
        },
    .lower =
        [](Lower& l, const ShapeOptions& o) {
          return Values{l.e.reshape(l[0], o.shape)};
        },
    .vjp =
        [](Vjp& v, const ShapeOptions&) {
          return Grads{reshape(v.gradient(), v.input_spec(0).shape)};
        },
    .residuals = {0, 0}};

constexpr Op<AxesOptions> kTranspose{
    .name = "transpose",
    .infer =
        [](Infer& in, const AxesOptions& o) {
          Shape shape = Shape::scalar();
          for (int64_t axis : o.axes) {
            shape.push_back(in.shape(0)[static_cast<int>(axis)]);
          }
          return Specs(TensorSpec{in.dtype(0), shape});
        },
    .lower =
        [](Lower& l, const AxesOptions& o) {
          return Values{l.e.transpose(l[0], o.axes)};
        },
    .vjp =
        [](Vjp& v, const AxesOptions& o) {
          std::vector<int> inverse(o.axes.size());
          for (size_t i = 0; i < o.axes.size(); ++i) {
            inverse[o.axes[i]] = static_cast<int>(i);
          }
          return Grads{transpose(v.gradient(), Axes(inverse))};
        },
    .residuals = {0, 0}};

constexpr Op<AxesOptions> kFlip{
    .name = "flip",
    .infer = [](Infer& in, const AxesOptions&) { return Specs(in[0]); },
    .lower =
        [](Lower& l, const AxesOptions& o) {
          return Values{l.e.reverse(l[0], o.axes)};
        },
    .vjp =
        [](Vjp& v, const AxesOptions& o) {
          return Grads{flip(v.gradient(), Axes(std::vector<int>(
                                              o.axes.begin(), o.axes.end())))};
        },
    .residuals = {0, 0}};

struct ConcatOptions {
  int64_t axis = 0;
  template <class V>
  void visit(V&& v) const {
    v("axis", axis);
  }
};

constexpr Op<ConcatOptions> kConcatenate{
    .name = "concatenate",
    .infer =
        [](Infer& in, const ConcatOptions& o) {
          std::vector<int64_t> dims(in.shape(0).begin(), in.shape(0).end());
          for (int i = 1; i < in.size(); ++i) {
            bool fits = in.shape(i).rank() == in.shape(0).rank();
            for (int d = 0; fits && d < in.shape(0).rank(); ++d) {
              fits = d == o.axis || in.shape(i)[d] == in.shape(0)[d];
            }
            if (!fits) {
              in.error()
                  .expected("inputs that agree but for axis ", o.axis)
                  .got(in.shape(0), " and ", in.shape(i))
                  .raise<ShapeError>();
            }
            dims[o.axis] += in.shape(i)[static_cast<int>(o.axis)];
          }
          return Specs(
              TensorSpec{in.dtype(0), Shape(std::span<const int64_t>(dims))});
        },
    .lower =
        [](Lower& l, const ConcatOptions& o) {
          return Values{l.e.concatenate(l.inputs(), o.axis)};
        },
    .vjp =
        [](Vjp& v, const ConcatOptions& o) {
          Grads grads;
          int64_t start = 0;
          std::vector<Index> index(v.output_spec().shape.rank(), Index(all));
          for (int i = 0; i < v.num_inputs(); ++i) {
            const int64_t size =
                v.input_spec(i).shape[static_cast<int>(o.axis)];
            index[o.axis] = Slice(start, start + size);
            grads.push_back(slice(v.gradient(), index));
            start += size;
          }
          return grads;
        },
    .residuals = {0, 0}};

struct PadAttributes {
  std::vector<int64_t> low, high, interior;
  template <class V>
  void visit(V&& v) const {
    v("low", low);
    v("high", high);
    v("interior", interior);
  }
};

Grads pad_gradient(Vjp& v, const PadAttributes& o) {
  const Tensor g = v.gradient();
  // Elements that were trimmed away have gradient zero.
  std::vector<int64_t> low, high;
  std::vector<Index> index;
  bool trimmed = false;
  for (size_t i = 0; i < o.low.size(); ++i) {
    low.push_back(std::max<int64_t>(-o.low[i], 0));
    high.push_back(std::max<int64_t>(-o.high[i], 0));
    trimmed |= low[i] > 0 || high[i] > 0;
    const int64_t size = g.shape()[static_cast<int>(i)] + low[i] + high[i];
    index.push_back(Slice(std::max<int64_t>(o.low[i], 0),
                          size - std::max<int64_t>(o.high[i], 0),
                          o.interior[i] + 1));
  }
  const std::vector<int64_t> none(o.low.size(), 0);
  const Tensor whole =
      trimmed ? internal::ops::pad_edges(g, 0, low, high, none) : g;
  const Tensor inner = slice(whole, index);
  return {inner, v.needs(1) ? sum(g) - sum(inner) : Tensor()};
}

constexpr Op<PadAttributes> kPad{
    .name = "pad",
    .infer =
        [](Infer& in, const PadAttributes& o) {
          Shape shape = Shape::scalar();
          for (int i = 0; i < in.shape(0).rank(); ++i) {
            const int64_t size = in.shape(0)[i];
            shape.push_back(size +
                            std::max<int64_t>(size - 1, 0) * o.interior[i] +
                            o.low[i] + o.high[i]);
          }
          return Specs(TensorSpec{in.dtype(0), shape});
        },
    .lower =
        [](Lower& l, const PadAttributes& o) {
          std::vector<stablehlo::EdgePadding> edges;
          for (size_t i = 0; i < o.low.size(); ++i) {
            edges.push_back({o.low[i], o.high[i]});
          }
          return Values{l.e.pad(l[0], l[1], edges, o.interior)};
        },
    .vjp = pad_gradient,
    .residuals = {0, 0}};

constexpr const OpDef* kCatalog[] = {
    &kDefinition<kReshape>, &kDefinition<kTranspose>, &kDefinition<kFlip>,
    &kDefinition<kConcatenate>, &kDefinition<kPad>};

// `shape` with its -1 worked out from the number of elements.
Shape complete(const TensorSpec& x, const Shape& shape,
               const SourceLocation& where) {
  std::vector<int64_t> dims(shape.begin(), shape.end());
  int64_t known = 1, open = -1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == -1 && open < 0) {
      open = static_cast<int64_t>(i);
    } else if (dims[i] < 0) {
      internal::Message("reshape")
          .expected("sizes >= 0 and at most one -1")
          .got(shape)
          .detail("input", x)
          .at(where)
          .raise<ShapeError>();
    } else {
      known *= dims[i];
    }
  }
  if (open < 0) return shape;
  const int64_t elements = x.shape.elements();
  if (known == 0 || elements % known != 0) {
    internal::Message("reshape")
        .expected("the sizes beside -1 to divide ", elements, " elements")
        .got(shape)
        .detail("input", x)
        .at(where)
        .raise<ShapeError>();
  }
  dims[open] = elements / known;
  return Shape(std::span<const int64_t>(dims));
}

}  // namespace

std::span<const OpDef* const> internal::ops::manipulation_catalog() {
  return kCatalog;
}

Tensor reshape(const Arg& x, const Shape& shape) {
  const Tensor in = x.tensor();
  const Shape full = complete(in.spec(), shape, x.where());
  if (in.shape() == full) return in;
  return record<kReshape>({in.ref()}, ShapeOptions{full}, x.where());
}

Tensor expand_dims(const Arg& x, int axis) {
  const Tensor in = x.tensor();
  const int place = resolve_axis(axis, in.rank() + 1, "expand_dims");
  Shape shape = Shape::scalar();
  for (int i = 0; i <= in.rank(); ++i) {
    if (i == place) shape.push_back(1);
    if (i < in.rank()) shape.push_back(in.shape()[i]);
  }
  return reshape(Arg(in, x.where()), shape);
}

Tensor squeeze(const Arg& x, const Axes& axis) {
  const Tensor in = x.tensor();
  const Axes named = axis.is_set() ? axis.resolve(in.rank(), "squeeze") : axis;
  Shape shape = Shape::scalar();
  for (int i = 0; i < in.rank(); ++i) {
    if (axis.is_set() ? !named.contains(i) : in.shape()[i] != 1) {
      shape.push_back(in.shape()[i]);
    } else if (in.shape()[i] != 1) {
      internal::Message("squeeze")
          .expected("size 1 along axis ", i)
          .got(in.shape()[i])
          .detail("input", in.spec())
          .at(x.where())
          .raise<ShapeError>();
    }
  }
  return reshape(Arg(in, x.where()), shape);
}

Tensor transpose(const Arg& x, const Axes& axes) {
  const Tensor in = x.tensor();
  AxesOptions options;
  if (axes.is_set()) {
    const Axes order = axes.resolve_in_order(in.rank(), "transpose");
    if (order.size() != in.rank()) {
      internal::Message("transpose")
          .expected("each of the ", in.rank(), " axes once")
          .got(axes)
          .detail("input", in.spec())
          .at(x.where())
          .raise<ShapeError>();
    }
    options.axes.assign(order.begin(), order.end());
  } else {
    options.axes.resize(in.rank());
    std::iota(options.axes.rbegin(), options.axes.rend(), 0);
  }
  return record<kTranspose>({in.ref()}, std::move(options), x.where());
}

Tensor flip(const Arg& x, const Axes& axis) {
  const Tensor in = x.tensor();
  const Axes axes = axis.resolve(in.rank(), "flip");
  return record<kFlip>({in.ref()}, AxesOptions{{axes.begin(), axes.end()}},
                       x.where());
}

Tensor concatenate(const std::vector<Tensor>& xs, int axis,
                   SourceLocation where) {
  if (xs.empty()) {
    internal::Message("concatenate")
        .expected("at least one Tensor")
        .got("none")
        .at(where)
        .raise<ValueError>();
  }
  DType dtype = xs[0].dtype();
  for (const Tensor& x : xs) dtype = promote(dtype, x.dtype());
  std::vector<Ref> inputs;
  for (const Tensor& x : xs) inputs.push_back(cast(x, dtype).ref());
  const int64_t place = resolve_axis(axis, xs[0].rank(), "concatenate");
  if (xs.size() == 1) return xs[0];
  return record_all<kConcatenate>(std::move(inputs), ConcatOptions{place},
                                  where)[0];
}

Tensor concat(const std::vector<Tensor>& xs, int axis, SourceLocation where) {
  return concatenate(xs, axis, where);
}

Tensor stack(const std::vector<Tensor>& xs, int axis, SourceLocation where) {
  if (xs.empty()) {
    internal::Message("stack")
        .expected("at least one Tensor")
        .got("none")
        .at(where)
        .raise<ValueError>();
  }
  const int place = resolve_axis(axis, xs[0].rank() + 1, "stack");
  std::vector<Tensor> wide;
  for (const Tensor& x : xs) {
    if (x.shape() != xs[0].shape()) {
      internal::Message("stack")
          .expected("inputs of one shape")
          .got(xs[0].shape(), " and ", x.shape())
          .at(where)
          .raise<ShapeError>();
    }
    wide.push_back(expand_dims(Arg(x, where), place));
  }
  return concatenate(wide, place, where);
}

Tensor internal::ops::pad_edges(const Arg& x, const Arg& value,
                                std::vector<int64_t> low,
                                std::vector<int64_t> high,
                                std::vector<int64_t> interior) {
  const Tensor in = x.tensor();
  const Tensor fill = value.is_scalar()
                          ? value.tensor(in.dtype())
                          : reshape(cast(value, in.dtype()), Shape::scalar());
  return record<kPad>(
      {in.ref(), fill.ref()},
      PadAttributes{std::move(low), std::move(high), std::move(interior)},
      x.where());
}

Tensor pad(const Arg& x, const PadWidth& pad_width,
           const Arg& constant_values) {
  const Tensor in = x.tensor();
  std::vector<int64_t> low, high;
  for (const auto& [before, after] : pad_width) {
    if (before < 0 || after < 0) {
      internal::Message("pad")
          .expected("widths >= 0")
          .got("(", before, ", ", after, ")")
          .detail("input", in.spec())
          .at(x.where())
          .raise<ValueError>();
    }
    low.push_back(before);
    high.push_back(after);
  }
  if (static_cast<int>(low.size()) != in.rank()) {
    internal::Message("pad")
        .expected("one (before, after) pair for each of ", in.rank(), " axes")
        .got(low.size(), " pairs")
        .detail("input", in.spec())
        .at(x.where())
        .raise<ShapeError>();
  }
  if (!constant_values.is_scalar()) {
    const Tensor value = constant_values.tensor();
    if (value.shape().elements() != 1) {
      internal::Message("pad")
          .expected("one constant value")
          .got(value.spec())
          .detail("input", in.spec())
          .at(x.where())
          .raise<ShapeError>();
    }
  }
  std::vector<int64_t> interior(low.size(), 0);
  return internal::ops::pad_edges(Arg(in, x.where()), constant_values,
                                  std::move(low), std::move(high),
                                  std::move(interior));
}

namespace {

const Shape& require_known(const Shape& shape, const char* who) {
  if (!shape.is_set()) {
    internal::Message(who)
        .expected("a shape")
        .got("an unset one ({} or Shape())")
        .hint("Shape::scalar() is the shape of a single number")
        .raise<ShapeError>();
  }
  if (!shape.is_known()) {
    internal::Message(who)
        .expected("a shape of known sizes")
        .got(shape)
        .raise<ShapeError>();
  }
  return shape;
}

TensorSpec require_numbers(const Shape& shape, DType dtype, const char* who) {
  if (dtype == DType::string) {
    internal::Message(who)
        .expected("a dtype of numbers or bool")
        .got(dtype)
        .raise<TypeError>();
  }
  return {dtype, require_known(shape, who)};
}

}  // namespace

Tensor zeros(const Shape& shape, DType dtype) {
  return zeros_of(require_numbers(shape, dtype, "zeros"));
}

Tensor ones(const Shape& shape, DType dtype) {
  return ones_of(require_numbers(shape, dtype, "ones"));
}

Tensor full(const Shape& shape, const Arg& value) {
  return broadcast_to(value, require_known(shape, "full"));
}

Tensor zeros_like(const Arg& x) { return zeros_of(x.tensor().spec()); }

Tensor ones_like(const Arg& x) { return ones_of(x.tensor().spec()); }

Tensor constant(const Array& value) { return Arg(value).tensor(); }

Tensor constant(const Nest& value, std::optional<DType> dtype) {
  return constant(to_array(value, dtype));
}

}  // namespace systolic
