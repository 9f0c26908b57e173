#include "systolic/graph/intrinsics.h"

#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"

namespace systolic::internal::graph {

Specs infer_elementwise(Infer& in) {
  Shape shape = in.shape(0);
  for (int i = 1; i < in.size(); ++i) {
    if (in.dtype(i) != in.dtype(0)) {
      in.error()
          .expected("inputs of one dtype")
          .got(name(in.dtype(0)), " and ", name(in.dtype(i)))
          .hint("cast one of them")
          .raise<TypeError>();
    }
    if (in.shape(i) == shape) continue;
    try {
      shape = broadcast(shape, in.shape(i));
    } catch (const ShapeError&) {
      in.error()
          .expected("shapes that broadcast together")
          .got(in.shape(0), " and ", in.shape(i))
          .hint("sizes must be equal or 1, counted from the last axis")
          .raise<ShapeError>();
    }
  }
  return TensorSpec{in.dtype(0), shape};
}

namespace {

// Throws TypeError where an input is of a dtype of a kind.
void refuse(const Infer& in, bool (*is_of_kind)(DType),
            std::string_view expected, std::string_view hint) {
  for (int i = 0; i < in.size(); ++i) {
    if (!is_of_kind(in.dtype(i))) continue;
    in.error()
        .expected(expected)
        .got(in.dtype(i))
        .hint(hint)
        .raise<TypeError>();
  }
}

}  // namespace

void refuse_complex(const Infer& in) {
  refuse(in, is_complex, "real numbers",
         "take real(x), imag(x) or abs(x) first");
}

void refuse_float8(const Infer& in) {
  refuse(in, is_float8, "a dtype to compute in, since float8 is storage",
         "cast it first, for example cast(x, DType::bfloat16)");
}

Specs infer_arithmetic(Infer& in) {
  refuse_float8(in);
  return infer_elementwise(in);
}

Specs infer_ordered(Infer& in) {
  refuse_complex(in);
  return infer_arithmetic(in);
}

Specs infer_number(Infer& in) {
  if (in.dtype(0) == DType::boolean) {
    in.error()
        .expected("numbers")
        .got("bool")
        .hint(
            "cast it to int32 first; logical_xor, logical_and and logical_not "
            "are the operations on truth values")
        .raise<TypeError>();
  }
  return infer_arithmetic(in);
}

Specs infer_predicate(Infer& in) {
  return TensorSpec{DType::boolean, infer_elementwise(in)[0].shape};
}

Values broadcast_inputs(Lower& l) {
  Values inputs;
  for (const auto& input : l.inputs()) {
    inputs.push_back(l.e.broadcast(input, l.result().shape));
  }
  return inputs;
}

Values lower_elementwise(Lower& l, std::string_view op) {
  return l.e.statement(op, broadcast_inputs(l), std::span(&l.result(), 1));
}

namespace {

struct ShapeAttribute {
  Shape shape;
  template <class V>
  void visit(V&& v) const {
    v("shape", shape);
  }
};

struct DTypeAttribute {
  DType dtype;
  template <class V>
  void visit(V&& v) const {
    v("dtype", dtype);
  }
};

constexpr Op<> kAdd{
    .name = "add",
    .infer = [](Infer& in, const NoOptions&) { return infer_arithmetic(in); },
    .lower =
        [](Lower& l, const NoOptions&) {
          return lower_elementwise(
              l, l.result().dtype == DType::boolean ? "or" : "add");
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor g = v.gradient();
          return Grads{sum_to(g, v.input_spec(0).shape),
                       sum_to(g, v.input_spec(1).shape)};
        },
    .residuals = {0, 0}};

constexpr Op<> kSubtract{
    .name = "subtract",
    .infer = [](Infer& in, const NoOptions&) { return infer_number(in); },
    .lower = [](Lower& l,
                const NoOptions&) { return lower_elementwise(l, "subtract"); },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor g = v.gradient();
          return Grads{sum_to(g, v.input_spec(0).shape),
                       v.needs(1) ? sum_to(negative(g), v.input_spec(1).shape)
                                  : Tensor()};
        },
    .residuals = {0, 0}};

constexpr Op<> kNegative{
    .name = "negative",
    .infer = [](Infer& in, const NoOptions&) { return infer_number(in); },
    .lower = [](Lower& l,
                const NoOptions&) { return lower_elementwise(l, "negate"); },
    .vjp = [](Vjp& v,
              const NoOptions&) { return Grads{negative(v.gradient())}; },
    .residuals = {0, 0}};

constexpr Op<DTypeAttribute> kConvert{
    .name = "cast",
    .infer =
        [](Infer& in, const DTypeAttribute& o) {
          if (is_complex(in.dtype(0)) && !is_complex(o.dtype) &&
              o.dtype != DType::boolean) {
            in.error()
                .expected("a complex dtype or bool for complex numbers")
                .got(in.dtype(0), " to ", o.dtype)
                .hint(
                    "a cast would lose the imaginary part: take real(x) or "
                    "abs(x)")
                .raise<TypeError>();
          }
          return Specs(TensorSpec{o.dtype, in.shape(0)});
        },
    .lower =
        [](Lower& l, const DTypeAttribute& o) {
          return Values{l.e.convert(l[0], o.dtype)};
        },
    .vjp =
        [](Vjp& v, const DTypeAttribute& o) {
          // Integers carry no gradient, in either direction.
          const DType from = v.input_spec(0).dtype;
          if (!is_inexact(o.dtype) || !is_inexact(from)) {
            return Grads{Tensor()};
          }
          const Tensor g = v.gradient();
          // A real number moves along the real axis only.
          if (is_complex(o.dtype) && !is_complex(from)) {
            return Grads{convert(real_part(g), from)};
          }
          return Grads{convert(g, from)};
        },
    .residuals = {0, 0}};

// Gradients travel as JAX's do, derivatives without a conjugate: so the rules
// of all holomorphic functions are those of real numbers (reverse.cc).
constexpr Op<> kReal{
    .name = "real",
    .infer =
        [](Infer& in, const NoOptions&) {
          return Specs(TensorSpec{real_dtype(in.dtype(0)), in.shape(0)});
        },
    .lower =
        [](Lower& l, const NoOptions&) {
          return Values{l.e.statement("real", {l[0]}, l.result())};
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          return Grads{convert(v.gradient(), v.input_spec(0).dtype)};
        },
    .residuals = {0, 0}};

constexpr Op<> kConj{
    .name = "conj",
    .infer = [](Infer& in, const NoOptions&) { return Specs(in[0]); },
    .lower =
        [](Lower& l, const NoOptions&) {
          const TensorSpec part{real_dtype(l.result().dtype), l.result().shape};
          const auto real = l.e.statement("real", {l[0]}, part);
          const auto imag = l.e.statement("imag", {l[0]}, part);
          return Values{l.e.statement(
              "complex", {real, l.e.unary("negate", imag)}, l.result())};
        },
    .vjp = [](Vjp& v,
              const NoOptions&) { return Grads{conjugate(v.gradient())}; },
    .residuals = {0, 0}};

constexpr Op<ShapeAttribute> kBroadcast{
    .name = "broadcast_to",
    .infer =
        [](Infer& in, const ShapeAttribute& o) {
          if (!o.shape.is_known()) {
            in.error()
                .expected("a shape of known sizes")
                .got(o.shape)
                .raise<ShapeError>();
          }
          Shape together;
          try {
            together = broadcast(in.shape(0), o.shape);
          } catch (const ShapeError&) {
          }
          if (together != o.shape) {
            in.error()
                .expected("a shape that broadcasts to ", o.shape)
                .got(in.shape(0))
                .raise<ShapeError>();
          }
          return Specs(TensorSpec{in.dtype(0), o.shape});
        },
    .lower =
        [](Lower& l, const ShapeAttribute& o) {
          return Values{l.e.broadcast(l[0], o.shape)};
        },
    .vjp =
        [](Vjp& v, const ShapeAttribute&) {
          return Grads{sum_to(v.gradient(), v.input_spec(0).shape)};
        },
    .residuals = {0, 0}};

constexpr Op<ShapeAttribute> kSumTo{
    .name = "sum_to",
    .infer =
        [](Infer& in, const ShapeAttribute& o) {
          return Specs(TensorSpec{in.dtype(0), o.shape});
        },
    .lower =
        [](Lower& l, const ShapeAttribute& o) {
          const Shape& from = l[0].spec.shape;
          const int extra = from.rank() - o.shape.rank();
          std::vector<int64_t> axes;
          for (int i = 0; i < from.rank(); ++i) {
            if (i < extra || (o.shape[i - extra] == 1 && from[i] != 1)) {
              axes.push_back(i);
            }
          }
          return Values{l.e.reshape(
              l.e.reduce(stablehlo::Combine::add, l[0], axes), o.shape)};
        },
    .vjp =
        [](Vjp& v, const ShapeAttribute&) {
          return Grads{broadcast_to(v.gradient(), v.input_spec(0).shape)};
        },
    .residuals = {0, 0}};

constexpr Op<> kStopGradient{
    .name = "stop_gradient",
    .infer = [](Infer& in, const NoOptions&) { return Specs(in[0]); },
    .lower = [](Lower& l, const NoOptions&) { return Values{l[0]}; },
    .vjp = [](Vjp&, const NoOptions&) { return Grads{Tensor()}; },
    .residuals = {0, 0}};

constexpr const OpDef* kCatalog[] = {
    &kDefinition<kAdd>,          &kDefinition<kSubtract>,
    &kDefinition<kNegative>,     &kDefinition<kConvert>,
    &kDefinition<kBroadcast>,    &kDefinition<kSumTo>,
    &kDefinition<kStopGradient>, &kDefinition<kReal>,
    &kDefinition<kConj>};

}  // namespace

std::span<const OpDef* const> intrinsics_catalog() { return kCatalog; }

std::pair<Tensor, Tensor> promote_operands(const Arg& x, const Arg& y) {
  if (x.is_scalar() && y.is_scalar()) {
    const DType dtype = promote(x.dtype(), y.dtype());
    return {x.tensor(dtype), y.tensor(dtype)};
  }
  if (x.is_scalar()) {
    const DType dtype = promote_weak(y.dtype(), x.kind());
    return {x.fitting_tensor(dtype), convert(y, dtype)};
  }
  if (y.is_scalar()) {
    const DType dtype = promote_weak(x.dtype(), y.kind());
    return {convert(x, dtype), y.fitting_tensor(dtype)};
  }
  if (x.dtype() == y.dtype()) return {x.tensor(), y.tensor()};
  const DType dtype = promote(x.dtype(), y.dtype());
  return {convert(x, dtype), convert(y, dtype)};
}

bool are_alike(const Arg& x, const Arg& y) {
  return !x.is_scalar() && !y.is_scalar() && x.dtype() == y.dtype();
}

namespace {

template <const auto& op>
Tensor binary(const Arg& x, const Arg& y) {
  if (are_alike(x, y)) {
    return record<op>({x.ref(), y.ref()}, NoOptions{}, x.where());
  }
  const auto [a, b] = promote_operands(x, y);
  return record<op>({a.ref(), b.ref()}, NoOptions{}, x.where());
}

}  // namespace

Tensor add(const Arg& x, const Arg& y) { return binary<kAdd>(x, y); }

Tensor subtract(const Arg& x, const Arg& y) { return binary<kSubtract>(x, y); }

Tensor negative(const Arg& x) {
  return record<kNegative>({x.tensor().ref()}, NoOptions{}, x.where());
}

Tensor convert(const Arg& x, DType dtype) {
  if (x.is_scalar()) return x.tensor(dtype);
  Tensor tensor = x.tensor();
  if (tensor.dtype() == dtype) return tensor;
  return record<kConvert>({tensor.ref()}, DTypeAttribute{dtype}, x.where());
}

Tensor real_part(const Arg& x) {
  const Tensor in = x.tensor();
  if (!is_complex(in.dtype())) return in;
  return record<kReal>({in.ref()}, NoOptions{}, x.where());
}

Tensor conjugate(const Arg& x) {
  const Tensor in = x.tensor();
  if (!is_complex(in.dtype())) return in;
  return record<kConj>({in.ref()}, NoOptions{}, x.where());
}

Tensor identity(const Tensor& x) {
  return record<kConvert>({x.ref()}, DTypeAttribute{x.dtype()},
                          SourceLocation::current());
}

Tensor stop_gradient(const Arg& x) {
  return record<kStopGradient>({x.tensor().ref()}, NoOptions{}, x.where());
}

Tensor broadcast_to(const Arg& x, const Shape& shape) {
  Tensor tensor = x.tensor();
  if (tensor.shape() == shape) return tensor;
  return record<kBroadcast>({tensor.ref()}, ShapeAttribute{shape}, x.where());
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return record<kSumTo>({x.ref()}, ShapeAttribute{shape},
                        SourceLocation::current());
}

Tensor zeros_of(const TensorSpec& spec) {
  return broadcast_to(Arg(0).tensor(spec.dtype), spec.shape);
}

Tensor ones_of(const TensorSpec& spec) {
  return broadcast_to(Arg(1).tensor(spec.dtype), spec.shape);
}

}  // namespace systolic::internal::graph
