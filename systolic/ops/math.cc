#include "systolic/ops/math.h"

#include <cmath>
#include <optional>

#include "systolic/base/message.h"
#include "systolic/graph/elementwise.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"

namespace systolic {

using namespace internal::graph;

namespace {

// The lowering of an op that StableHLO has under a name of its own.
template <const char* stablehlo_name>
Values lower_as(Lower& l, const NoOptions&) {
  return lower_elementwise(l, stablehlo_name);
}

Specs infer_same(Infer& in, const NoOptions&) { return infer_arithmetic(in); }

Specs infer_numbers(Infer& in, const NoOptions&) { return infer_number(in); }

Specs infer_order(Infer& in, const NoOptions&) { return infer_ordered(in); }

// Quotients rounded down, and what they leave.
Specs infer_division(Infer& in, const NoOptions&) {
  refuse_complex(in);
  return infer_number(in);
}

Specs infer_bool(Infer& in, const NoOptions&) { return infer_predicate(in); }

// A gradient, brought back to the shape of input i.
Tensor to_input(Vjp& v, int i, const Tensor& g) {
  return sum_to(g, v.input_spec(i).shape);
}

constexpr char kMultiplyName[] = "multiply";
constexpr char kDivideName[] = "divide";
constexpr char kPowerName[] = "power";
constexpr char kMaximumName[] = "maximum";
constexpr char kMinimumName[] = "minimum";

constexpr Op<> kMultiply{
    .name = "multiply",
    .infer = infer_same,
    .lower =
        [](Lower& l, const NoOptions& o) {
          if (l.result().dtype == DType::boolean) {
            return lower_elementwise(l, "and");
          }
          return lower_as<kMultiplyName>(l, o);
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor g = v.gradient();
          return Grads{v.needs(0) ? to_input(v, 0, g * v.input(1)) : Tensor(),
                       v.needs(1) ? to_input(v, 1, g * v.input(0)) : Tensor()};
        },
    .residuals = {3, 0}};

constexpr Op<> kDivide{
    .name = "divide",
    .infer = infer_same,
    .lower = lower_as<kDivideName>,
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor g = v.gradient() / v.input(1);
          return Grads{to_input(v, 0, g),
                       v.needs(1) ? to_input(v, 1, -g * v.output()) : Tensor()};
        },
    .residuals = {2, 1}};

constexpr Op<> kFloorDivide{
    .name = "floor_divide",
    .infer = infer_division,
    .lower =
        [](Lower& l, const NoOptions&) {
          const Values in = broadcast_inputs(l);
          const auto quotient = l.e.binary("divide", in[0], in[1]);
          if (is_floating(l.result().dtype)) {
            return Values{l.e.unary("floor", quotient)};
          }
          if (!is_signed(l.result().dtype)) return Values{quotient};
          // StableHLO rounds to zero: one less where the signs differ.
          const auto rest = l.e.binary("remainder", in[0], in[1]);
          const auto zero = l.e.splat(l.result(), 0);
          const auto inexact = l.e.compare("NE", rest, zero);
          const auto negative_rest = l.e.compare("LT", rest, zero);
          const auto negative_divisor = l.e.compare("LT", in[1], zero);
          const auto differ =
              l.e.compare("NE", negative_rest, negative_divisor);
          const auto one = l.e.splat(l.result(), 1);
          return Values{l.e.select(l.e.binary("and", inexact, differ),
                                   l.e.binary("subtract", quotient, one),
                                   quotient)};
        },
    .vjp = not_differentiable("it is constant almost everywhere"),
    .residuals = {0, 0}};

constexpr Op<> kMod{
    .name = "mod",
    .infer = infer_division,
    .lower =
        [](Lower& l, const NoOptions&) {
          const Values in = broadcast_inputs(l);
          const auto rest = l.e.binary("remainder", in[0], in[1]);
          if (!is_signed(l.result().dtype)) return Values{rest};
          const auto zero = l.e.splat(l.result(), 0);
          const auto differ = l.e.compare("NE", l.e.compare("LT", rest, zero),
                                          l.e.compare("LT", in[1], zero));
          const auto fix =
              l.e.binary("and", l.e.compare("NE", rest, zero), differ);
          return Values{l.e.select(fix, l.e.binary("add", rest, in[1]), rest)};
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor g = v.gradient();
          return Grads{to_input(v, 0, g),
                       v.needs(1)
                           ? to_input(v, 1, -g * floor(v.input(0) / v.input(1)))
                           : Tensor()};
        },
    .residuals = {3, 0}};

constexpr Op<> kPower{
    .name = "power",
    .infer = infer_numbers,
    .lower = lower_as<kPowerName>,
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor g = v.gradient(), x = v.input(0), y = v.input(1);
          Grads grads(2);
          if (v.needs(0)) {
            // Written so that 0 to the 0 has gradient 0, not NaN.
            const Tensor exponent = where(equal(y, 0), 1, y - 1);
            grads[0] = to_input(v, 0, g * y * power(x, exponent));
          }
          if (v.needs(1)) {
            // Real numbers have a logarithm above 0, complex ones but at 0.
            const Tensor has_log =
                is_complex(x.dtype()) ? not_equal(x, 0) : x > 0;
            const Tensor safe = where(has_log, x, 1);
            grads[1] =
                to_input(v, 1, where(has_log, g * v.output() * log(safe), 0));
          }
          return grads;
        },
    .residuals = {3, 1}};

// The gradient of max and min goes to the input that was taken, half to each
// between equals.
Grads extremum_gradient(Vjp& v, const NoOptions&) {
  const Tensor g = v.gradient(), out = v.output();
  const DType dtype = g.dtype();
  const Tensor first = cast(equal(v.input(0), out), dtype);
  const Tensor second = cast(equal(v.input(1), out), dtype);
  const Tensor share = g / maximum(first + second, 1);
  return {to_input(v, 0, share * first), to_input(v, 1, share * second)};
}

constexpr Op<> kMaximum{.name = "maximum",
                        .infer = infer_order,
                        .lower = lower_as<kMaximumName>,
                        .vjp = extremum_gradient,
                        .residuals = {3, 1}};

constexpr Op<> kMinimum{.name = "minimum",
                        .infer = infer_order,
                        .lower = lower_as<kMinimumName>,
                        .vjp = extremum_gradient,
                        .residuals = {3, 1}};

struct CompareOptions {
  std::string_view direction;
  template <class V>
  void visit(V&& v) const {
    v("direction", direction);
  }
};

Values lower_compare(Lower& l, const CompareOptions& o) {
  const Values in = broadcast_inputs(l);
  return {l.e.compare(o.direction, in[0], in[1])};
}

constexpr Op<CompareOptions> kEqual{
    .name = "equal",
    .infer = [](Infer& in,
                const CompareOptions&) { return infer_predicate(in); },
    .lower = lower_compare,
    .vjp = not_differentiable("its result is bool"),
    .residuals = {0, 0}};

constexpr Op<CompareOptions> kCompare{
    .name = "compare",
    .infer =
        [](Infer& in, const CompareOptions&) {
          refuse_complex(in);
          return infer_predicate(in);
        },
    .lower = lower_compare,
    .vjp = not_differentiable("its result is bool"),
    .residuals = {0, 0}};

constexpr char kAndName[] = "and";
constexpr char kOrName[] = "or";
constexpr char kXorName[] = "xor";
constexpr char kNotName[] = "not";

constexpr Op<> kLogicalAnd{.name = "logical_and",
                           .infer = infer_bool,
                           .lower = lower_as<kAndName>,
                           .vjp = not_differentiable("its result is bool"),
                           .residuals = {0, 0}};
constexpr Op<> kLogicalOr{.name = "logical_or",
                          .infer = infer_bool,
                          .lower = lower_as<kOrName>,
                          .vjp = not_differentiable("its result is bool"),
                          .residuals = {0, 0}};
constexpr Op<> kLogicalXor{.name = "logical_xor",
                           .infer = infer_bool,
                           .lower = lower_as<kXorName>,
                           .vjp = not_differentiable("its result is bool"),
                           .residuals = {0, 0}};
constexpr Op<> kLogicalNot{.name = "logical_not",
                           .infer = infer_bool,
                           .lower = lower_as<kNotName>,
                           .vjp = not_differentiable("its result is bool"),
                           .residuals = {0, 0}};

constexpr Op<> kWhere{
    .name = "where",
    .infer =
        [](Infer& in, const NoOptions&) {
          if (in.dtype(0) != DType::boolean) {
            in.error()
                .expected("a bool condition")
                .got(in.dtype(0))
                .raise<TypeError>();
          }
          Infer values = in.rest(1);
          const TensorSpec both = infer_elementwise(values)[0];
          try {
            return Specs(
                TensorSpec{both.dtype, broadcast(in.shape(0), both.shape)});
          } catch (const ShapeError&) {
            in.error()
                .expected("a condition that broadcasts with the values")
                .got(in.shape(0), " and ", both.shape)
                .raise<ShapeError>();
          }
        },
    .lower =
        [](Lower& l, const NoOptions&) {
          const Values in = broadcast_inputs(l);
          return Values{l.e.select(in[0], in[1], in[2])};
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor g = v.gradient(), condition = v.input(0);
          return Grads{Tensor(), to_input(v, 1, where(condition, g, 0)),
                       to_input(v, 2, where(condition, 0, g))};
        },
    .residuals = {1, 0}};

constexpr const OpDef* kCatalog[] = {
    &kDefinition<kMultiply>,    &kDefinition<kDivide>,
    &kDefinition<kFloorDivide>, &kDefinition<kMod>,
    &kDefinition<kPower>,       &kDefinition<kMaximum>,
    &kDefinition<kMinimum>,     &kDefinition<kEqual>,
    &kDefinition<kCompare>,     &kDefinition<kLogicalAnd>,
    &kDefinition<kLogicalOr>,   &kDefinition<kLogicalXor>,
    &kDefinition<kLogicalNot>,  &kDefinition<kWhere>};

template <const auto& op>
Tensor binary(const Arg& x, const Arg& y) {
  if (are_alike(x, y)) {
    return record<op>({x.ref(), y.ref()}, NoOptions{}, x.where());
  }
  const auto [a, b] = promote_operands(x, y);
  return record<op>({a.ref(), b.ref()}, NoOptions{}, x.where());
}

// The number that an operand is, where it is a C++ scalar.
std::optional<double> scalar_of(const Arg& x) {
  if (!x.is_scalar()) return std::nullopt;
  return known_value(x.tensor())->item<double>();
}

// Integers have no infinity to answer with.
void refuse_zero(const char* who, const Arg& x, const Arg& y) {
  if (scalar_of(y) != 0.0 || is_inexact(y.dtype())) return;
  if (is_inexact(x.dtype())) return;
  internal::Message(who)
      .expected("a divisor other than 0, since both are integers")
      .got(0)
      .at(x.where())
      .raise<ValueError>();
}

template <const auto& op>
Tensor compare(const Arg& x, const Arg& y, std::string_view direction) {
  const auto [a, b] = promote_operands(x, y);
  return record<op>({a.ref(), b.ref()}, CompareOptions{direction}, x.where());
}

template <const auto& op>
Tensor logical(const Arg& x, const Arg& y) {
  return record<op>(
      {cast(x, DType::boolean).ref(), cast(y, DType::boolean).ref()},
      NoOptions{}, x.where());
}

}  // namespace

std::span<const OpDef* const> internal::ops::math_catalog() { return kCatalog; }

Tensor multiply(const Arg& x, const Arg& y) { return binary<kMultiply>(x, y); }

Tensor divide(const Arg& x, const Arg& y) {
  auto [a, b] = promote_operands(x, y);
  if (!is_inexact(a.dtype())) {
    a = cast(a, DType::float32);
    b = cast(b, DType::float32);
  }
  return record<kDivide>({a.ref(), b.ref()}, NoOptions{}, x.where());
}

Tensor floor_divide(const Arg& x, const Arg& y) {
  refuse_zero("floor_divide", x, y);
  return binary<kFloorDivide>(x, y);
}

Tensor mod(const Arg& x, const Arg& y) {
  refuse_zero("mod", x, y);
  return binary<kMod>(x, y);
}

Tensor power(const Arg& x, const Arg& y) {
  const std::optional<double> exponent = scalar_of(y);
  if (is_integer(x.dtype()) && y.kind() == WeakKind::integer && exponent &&
      *exponent < 0) {
    internal::Message("power")
        .expected("an exponent of at least 0, since the base is of integers")
        .got(*exponent)
        .hint("cast the base to a floating-point dtype")
        .at(x.where())
        .raise<ValueError>();
  }
  return binary<kPower>(x, y);
}

Tensor maximum(const Arg& x, const Arg& y) { return binary<kMaximum>(x, y); }
Tensor minimum(const Arg& x, const Arg& y) { return binary<kMinimum>(x, y); }

Tensor operator+(const Arg& x, const Arg& y) { return add(x, y); }
Tensor operator-(const Arg& x, const Arg& y) { return subtract(x, y); }
Tensor operator*(const Arg& x, const Arg& y) { return multiply(x, y); }
Tensor operator/(const Arg& x, const Arg& y) { return divide(x, y); }
Tensor operator%(const Arg& x, const Arg& y) { return mod(x, y); }
Tensor operator-(const Arg& x) { return negative(x); }

Tensor equal(const Arg& x, const Arg& y) { return compare<kEqual>(x, y, "EQ"); }
Tensor not_equal(const Arg& x, const Arg& y) {
  return compare<kEqual>(x, y, "NE");
}
Tensor less(const Arg& x, const Arg& y) {
  return compare<kCompare>(x, y, "LT");
}
Tensor less_equal(const Arg& x, const Arg& y) {
  return compare<kCompare>(x, y, "LE");
}
Tensor greater(const Arg& x, const Arg& y) {
  return compare<kCompare>(x, y, "GT");
}
Tensor greater_equal(const Arg& x, const Arg& y) {
  return compare<kCompare>(x, y, "GE");
}

Tensor operator<(const Arg& x, const Arg& y) { return less(x, y); }
Tensor operator<=(const Arg& x, const Arg& y) { return less_equal(x, y); }
Tensor operator>(const Arg& x, const Arg& y) { return greater(x, y); }
Tensor operator>=(const Arg& x, const Arg& y) { return greater_equal(x, y); }

Tensor logical_and(const Arg& x, const Arg& y) {
  return logical<kLogicalAnd>(x, y);
}
Tensor logical_or(const Arg& x, const Arg& y) {
  return logical<kLogicalOr>(x, y);
}
Tensor logical_xor(const Arg& x, const Arg& y) {
  return logical<kLogicalXor>(x, y);
}
Tensor logical_not(const Arg& x) {
  return record<kLogicalNot>({cast(x, DType::boolean).ref()}, NoOptions{},
                             x.where());
}

Tensor where(const Arg& condition, const Arg& x, const Arg& y) {
  const auto [a, b] = promote_operands(x, y);
  return record<kWhere>(
      {cast(condition, DType::boolean).ref(), a.ref(), b.ref()}, NoOptions{},
      condition.where());
}

Tensor cast(const Arg& x, DType dtype) {
  if (dtype == DType::string) {
    internal::Message("cast")
        .expected("a dtype of numbers or bool")
        .got(dtype)
        .hint("strings stay on the host: keep them in an Array")
        .at(x.where())
        .raise<TypeError>();
  }
  return internal::graph::convert(x, dtype);
}

Tensor clip(const Arg& x, const Arg& x_min, const Arg& x_max) {
  const std::optional<double> least = scalar_of(x_min);
  const std::optional<double> most = scalar_of(x_max);
  if (least && most && !(*least <= *most)) {
    internal::Message("clip")
        .expected("x_min <= x_max")
        .got(*least, " and ", *most)
        .at(x.where())
        .raise<ValueError>();
  }
  // The whole gradient goes to x at the limits too; NaN stays NaN.
  return where(x < x_min, x_min, where(x > x_max, x_max, x));
}

}  // namespace systolic
