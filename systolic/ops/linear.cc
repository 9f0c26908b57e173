// Products, look-ups by position, one-hot rows.
#include <algorithm>
#include <numeric>

#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/positions.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;

namespace {

// Product over the last two axes of operands of rank >= 2, with equal
// leading axes; either may be taken transposed.
struct MatmulOptions {
  bool transpose_x = false;
  bool transpose_y = false;
  template <class V>
  void visit(V&& v) const {
    v("transpose_x", transpose_x);
    v("transpose_y", transpose_y);
  }
};

Tensor product(const Tensor& x, const Tensor& y, MatmulOptions options,
               const SourceLocation& where);

Specs infer_matmul(Infer& in, const MatmulOptions& o) {
  refuse_float8(in);
  const Shape &x = in.shape(0), &y = in.shape(1);
  const int rank = x.rank();
  Shape shape = Shape::scalar();
  for (int i = 0; i < rank - 2; ++i) shape.push_back(x[i]);
  const int64_t x_inner = x[o.transpose_x ? -2 : -1];
  const int64_t y_inner = y[o.transpose_y ? -1 : -2];
  if (x_inner != y_inner) {
    in.error()
        .expected("inner sizes to agree")
        .got(x_inner, " and ", y_inner)
        .raise<ShapeError>();
  }
  shape.push_back(x[o.transpose_x ? -1 : -2]);
  shape.push_back(y[o.transpose_y ? -2 : -1]);
  return TensorSpec{in.dtype(0), shape};
}

// XLA:CPU multiplies as fast as oneDNN, save where the first matrix is
// transposed, as in the gradient of a dense layer's weights: there it takes two
// to eight times as long (docs/design/0010-cpu-kernels.md). Below some eight
// million products the call costs more than it saves: it waits for its threads.
bool use_kernel(const Lower& l, const MatmulOptions& o) {
  constexpr int64_t kLeastProducts = 8'000'000;
  return o.transpose_x && l.result().dtype == DType::float32 &&
         l[0].spec.dtype == DType::float32 &&
         l.result().shape.elements() * l[0].spec.shape[-2] >= kLeastProducts &&
         l.has_kernel("systolic_matmul");
}

Values lower_matmul(Lower& l, const MatmulOptions& o) {
  if (use_kernel(l, o)) {
    std::string attributes = "transpose_x = true, replicas = " +
                             std::to_string(l.placement.num_replicas()) +
                             " : i64";
    if (o.transpose_y) attributes += ", transpose_y = true";
    return l.e.custom_call("systolic_matmul", l.inputs(),
                           std::span(&l.result(), 1), attributes);
  }
  const int rank = l[0].spec.shape.rank();
  std::vector<int64_t> batch(rank - 2);
  std::iota(batch.begin(), batch.end(), 0);
  const int64_t x_contract[] = {o.transpose_x ? rank - 2 : rank - 1};
  const int64_t y_contract[] = {o.transpose_y ? rank - 1 : rank - 2};
  return {l.e.dot_general(l[0], l[1], batch, batch, x_contract, y_contract,
                          l.result().dtype)};
}

Grads matmul_gradient(Vjp& v, const MatmulOptions& o) {
  const Tensor g = v.gradient();
  const SourceLocation here = SourceLocation::current();
  Grads grads(2);
  if (v.needs(0)) {
    const Tensor y = v.input(1);
    grads[0] = o.transpose_x ? product(y, g, {o.transpose_y, true}, here)
                             : product(g, y, {false, !o.transpose_y}, here);
  }
  if (v.needs(1)) {
    const Tensor x = v.input(0);
    grads[1] = o.transpose_y ? product(g, x, {true, o.transpose_x}, here)
                             : product(x, g, {!o.transpose_x, false}, here);
  }
  return grads;
}

constexpr Op<MatmulOptions> kMatmul{.name = "matmul",
                                    .infer = infer_matmul,
                                    .lower = lower_matmul,
                                    .vjp = matmul_gradient,
                                    .residuals = {3, 0}};

Tensor product(const Tensor& x, const Tensor& y, MatmulOptions options,
               const SourceLocation& where) {
  return record<kMatmul>({x.ref(), y.ref()}, options, where);
}

struct TakeAttributes {
  int64_t axis = 0;
  Shape shape;
  template <class V>
  void visit(V&& v) const {
    v("axis", axis);
    v("shape", shape);
  }
};

constexpr Op<TakeAttributes> kScatterRows{
    .name = "scatter_add_rows",
    .infer =
        [](Infer& in, const TakeAttributes& o) {
          return Specs(TensorSpec{in.dtype(1), o.shape});
        },
    .lower =
        [](Lower& l, const TakeAttributes& o) {
          return Values{l.e.scatter_add_rows(o.shape, l[0], l[1], o.axis)};
        },
    .vjp =
        [](Vjp& v, const TakeAttributes& o) {
          return Grads{Tensor(), take(v.gradient(), v.input(0),
                                      {.axis = static_cast<int>(o.axis)})};
        },
    .residuals = {1, 0}};

constexpr Op<TakeAttributes> kTake{
    .name = "take",
    .infer =
        [](Infer& in, const TakeAttributes& o) {
          Shape shape = Shape::scalar();
          const int axis = static_cast<int>(o.axis);
          for (int i = 0; i < axis; ++i) shape.push_back(in.shape(0)[i]);
          for (int64_t d : in.shape(1)) shape.push_back(d);
          for (int i = axis + 1; i < in.shape(0).rank(); ++i) {
            shape.push_back(in.shape(0)[i]);
          }
          return Specs(TensorSpec{in.dtype(0), shape});
        },
    .lower =
        [](Lower& l, const TakeAttributes& o) {
          return Values{l.e.take(l[0], l[1], o.axis)};
        },
    .vjp =
        [](Vjp& v, const TakeAttributes& o) {
          return Grads{record<kScatterRows>(
                           {v.input(1).ref(), v.gradient().ref()},
                           TakeAttributes{o.axis, v.input_spec(0).shape},
                           SourceLocation::current()),
                       Tensor()};
        },
    .residuals = {2, 0}};

struct IotaOptions {
  TensorSpec spec;
  int64_t axis = 0;
  template <class V>
  void visit(V&& v) const {
    v("spec", spec);
    v("axis", axis);
  }
};

constexpr Op<IotaOptions> kIota{
    .name = "arange",
    .infer = [](Infer&, const IotaOptions& o) { return Specs(o.spec); },
    .lower =
        [](Lower& l, const IotaOptions& o) {
          return Values{l.e.iota(o.spec, o.axis)};
        },
    .vjp = not_differentiable("it has no input"),
    .residuals = {0, 0}};

constexpr const OpDef* kCatalog[] = {&kDefinition<kMatmul>, &kDefinition<kTake>,
                                     &kDefinition<kScatterRows>,
                                     &kDefinition<kIota>};

Shape batch_of(const Tensor& x) {
  return Shape(x.shape().dims().first(static_cast<size_t>(x.rank()) - 2));
}

// The leading axes of both operands of matmul, broadcast.
std::pair<Tensor, Tensor> align_batches(const Tensor& x, const Tensor& y,
                                        const SourceLocation& where) {
  const Shape batch = broadcast(batch_of(x), batch_of(y));
  const auto widen = [&](const Tensor& t) {
    Shape shape = batch;
    shape.push_back(t.shape()[-2]);
    shape.push_back(t.shape()[-1]);
    return broadcast_to(Arg(t, where), shape);
  };
  return {widen(x), widen(y)};
}

int64_t largest_integer(DType dtype) {
  const int bits = static_cast<int>(size_of(dtype)) * 8;
  const int digits = is_signed(dtype) ? bits - 1 : std::min(bits, 63);
  return static_cast<int64_t>((uint64_t{1} << digits) - 1);
}

Tensor as_integers(const Arg& x, std::string_view who) {
  if (!is_integer(x.dtype()) && x.dtype() != DType::boolean) {
    internal::Message(std::string(who))
        .expected("integer positions")
        .got(x.dtype())
        .at(x.where())
        .raise<TypeError>();
  }
  return cast(x, DType::int32);
}

}  // namespace

std::span<const OpDef* const> internal::ops::linear_catalog() {
  return kCatalog;
}

Tensor matmul(const Arg& x, const Arg& y) {
  auto [a, b] = promote_operands(x, y);
  Shape result;
  try {
    result = matmul_shape(a.spec(), b.spec());
  } catch (const ShapeError&) {
    internal::Message("matmul")
        .expected("inner sizes to agree")
        .got(a.shape(), " and ", b.shape())
        .detail("input 0", a.spec())
        .detail("input 1", b.spec())
        .hint("(..., m, k) times (..., k, n) gives (..., m, n)")
        .at(x.where())
        .raise<ShapeError>();
  }
  const SourceLocation& where = x.where();
  if (a.rank() == 1) a = expand_dims(Arg(a, where), 0);
  if (b.rank() == 1) b = expand_dims(Arg(b, where), 1);
  if (b.rank() == 2 && a.rank() > 2) {
    // One matrix for all rows: a plain product of the flattened rows.
    const Tensor flat = reshape(Arg(a, where), {-1, a.shape()[-1]});
    return reshape(product(flat, b, {}, where), result);
  }
  if (a.rank() > 2 || b.rank() > 2) {
    std::tie(a, b) = align_batches(a, b, where);
  }
  return reshape(product(a, b, {}, where), result);
}

Tensor take(const Arg& x, const Arg& indices, const TakeOptions& options) {
  const Tensor in = x.tensor();
  const int axis = resolve_axis(options.axis, in.rank(), "take");
  const int64_t size = in.shape()[axis];
  Tensor places = as_integers(indices, "take");
  if (size == 0 && places.shape().elements() > 0) {
    internal::Message("take")
        .expected("elements along axis ", axis)
        .got("none")
        .detail("input", in.spec())
        .at(x.where())
        .raise<ShapeError>();
  }
  internal::ops::check_positions("take", indices.tensor(), {-size, size - 1},
                                 x.where());
  if (is_signed(indices.dtype())) {
    // As in NumPy: -1 is the last.
    places = where(places < 0, places + in.shape()[axis], places);
  }
  return record<kTake>({in.ref(), places.ref()}, TakeAttributes{axis, {}},
                       x.where());
}

Tensor gather(const Arg& x, const Arg& indices, const TakeOptions& options) {
  return take(x, indices, options);
}

Tensor arange(int64_t stop, DType dtype) {
  const bool fits = stop < 2 || dtype != DType::boolean;
  if (stop < 0 || dtype == DType::string || !fits ||
      (is_integer(dtype) && stop > 1 && stop - 1 > largest_integer(dtype))) {
    internal::Message("arange")
        .expected("a stop of at least 0, and a dtype that holds the numbers")
        .got(stop, " and ", dtype)
        .raise<ValueError>();
  }
  return record<kIota>({}, IotaOptions{{dtype, Shape{stop}}, 0},
                       SourceLocation::current());
}

Tensor one_hot(const Arg& x, int64_t num_classes,
               const OneHotOptions& options) {
  if (num_classes < 1) {
    internal::Message("one_hot")
        .expected("num_classes of 1 or more")
        .got(num_classes)
        .at(x.where())
        .raise<ValueError>();
  }
  const Tensor labels = as_integers(x, "one_hot");
  const int axis = resolve_axis(options.axis, labels.rank() + 1, "one_hot");
  Shape shape = Shape::scalar();
  for (int i = 0; i <= labels.rank(); ++i) {
    if (i == axis) shape.push_back(num_classes);
    if (i < labels.rank()) shape.push_back(labels.shape()[i]);
  }
  const Tensor classes =
      record<kIota>({}, IotaOptions{{DType::int32, shape}, axis}, x.where());
  return cast(equal(expand_dims(labels, axis), classes), options.dtype);
}

}  // namespace systolic
