#include "systolic/ops/arithmetic.h"

#include <cmath>
#include <limits>

#include "systolic/base/message.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/math.h"
#include "systolic/ops/unary.h"

namespace systolic {

using namespace internal::graph;
using namespace internal::ops;

namespace {

using internal::stablehlo::Value;

Specs infer_same(Infer& in, const NoOptions&) {
  refuse_complex(in);
  return infer_number(in);
}

Specs infer_reals(Infer& in, const NoOptions& o) {
  infer_real(in, o);
  return infer_elementwise(in);
}

Tensor to_input(Vjp& v, int i, const Tensor& g) {
  return sum_to(g, v.input_spec(i).shape);
}

constexpr Op<> kFmod{
    .name = "fmod",
    .infer = infer_same,
    .lower = [](Lower& l,
                const NoOptions&) { return lower_elementwise(l, "remainder"); },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor g = v.gradient();
          return Grads{to_input(v, 0, g),
                       v.needs(1)
                           ? to_input(v, 1, -g * trunc(v.input(0) / v.input(1)))
                           : Tensor()};
        },
    .residuals = {3, 0}};

constexpr Op<> kTruncatediv{
    .name = "truncatediv",
    .infer = infer_same,
    .lower =
        [](Lower& l, const NoOptions&) {
          const Values quotient = lower_elementwise(l, "divide");
          if (!is_floating(l.result().dtype)) return quotient;
          const Value size = l.e.unary("floor", l.e.unary("abs", quotient[0]));
          return Values{
              l.e.binary("multiply", l.e.unary("sign", quotient[0]), size)};
        },
    .vjp = not_differentiable("it is constant almost everywhere"),
    .residuals = {0, 0}};

// The longer side times the root, so that no square overflows.
Values lower_hypot(Lower& l, const NoOptions&) {
  const Values in = broadcast_inputs(l);
  const TensorSpec& spec = l.result();
  const Value a = l.e.unary("abs", in[0]), b = l.e.unary("abs", in[1]);
  const Value longer = l.e.binary("maximum", a, b);
  const Value one = l.e.splat(spec, 1);
  const Value divisor =
      l.e.select(l.e.compare("EQ", longer, l.e.splat(spec, 0)), one, longer);
  const Value ratio =
      l.e.binary("divide", l.e.binary("minimum", a, b), divisor);
  const Value root = l.e.unary(
      "sqrt", l.e.binary("add", one, l.e.binary("multiply", ratio, ratio)));
  const Value infinity = l.e.splat(spec, INFINITY);
  return {l.e.select(l.e.compare("EQ", longer, infinity), infinity,
                     l.e.binary("multiply", longer, root))};
}

constexpr Op<> kHypot{.name = "hypot",
                      .infer = infer_reals,
                      .lower = lower_hypot,
                      .vjp =
                          [](Vjp& v, const NoOptions&) {
                            const Tensor y = v.output();
                            const Tensor g =
                                v.gradient() / where(equal(y, 0), 1, y);
                            return Grads{to_input(v, 0, g * v.input(0)),
                                         to_input(v, 1, g * v.input(1))};
                          },
                      .residuals = {3, 1}};

constexpr Op<> kLogaddexp{
    .name = "logaddexp",
    .infer = infer_reals,
    .lower =
        [](Lower& l, const NoOptions&) {
          const Values in = broadcast_inputs(l);
          const Value distance = l.e.binary("subtract", in[0], in[1]);
          const Value rest = l.e.unary(
              "log_plus_one",
              l.e.unary("exponential",
                        l.e.unary("negate", l.e.unary("abs", distance))));
          const Value most = l.e.binary("maximum", in[0], in[1]);
          // Of two equal infinities the difference is NaN.
          return Values{l.e.select(l.e.compare("NE", distance, distance),
                                   l.e.binary("add", in[0], in[1]),
                                   l.e.binary("add", most, rest))};
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor g = v.gradient();
          const Tensor y = where(isinf(v.output()), 0, v.output());
          return Grads{to_input(v, 0, g * exp(v.input(0) - y)),
                       to_input(v, 1, g * exp(v.input(1) - y))};
        },
    .residuals = {3, 1}};

constexpr Op<> kNextafter{
    .name = "nextafter",
    .infer = infer_reals,
    .lower =
        [](Lower& l, const NoOptions&) {
          return lower_elementwise(l, "chlo.next_after");
        },
    .vjp = not_differentiable("it moves by one unit in the last place"),
    .residuals = {0, 0}};

constexpr char kCbrtName[] = "cbrt";
constexpr Op<> kCbrt{
    .name = "cbrt",
    .infer = infer_real,
    .lower = lower_unary<kCbrtName>,
    .vjp =
        [](Vjp& v, const NoOptions&) {
          return Grads{v.gradient() / (3 * square(v.output()))};
        },
    .residuals = {0, 1}};

// Euclid's algorithm on all elements at once: every step at least halves the
// smaller one every second time, so 64-bit numbers need fewer than 100.
Values lower_gcd(Lower& l, const NoOptions&) {
  const Values in = broadcast_inputs(l);
  const bool has_sign = is_signed(l.result().dtype);
  const auto size = [&](const Value& x) {
    return has_sign ? l.e.unary("abs", x) : x;
  };
  const Value zero = l.e.splat(l.result(), 0), one = l.e.splat(l.result(), 1);
  const Value start[] = {size(in[0]), size(in[1])};
  std::vector<int64_t> axes;
  for (int i = 0; i < l.result().shape.rank(); ++i) axes.push_back(i);
  return {l.e.while_loop(
      start,
      [&](std::span<const Value> v) {
        return Values{l.e.reduce(internal::stablehlo::Combine::logical_or,
                                 l.e.compare("NE", v[1], zero), axes)};
      },
      [&](std::span<const Value> v) {
        const Value done = l.e.compare("EQ", v[1], zero);
        const Value rest =
            l.e.binary("remainder", v[0], l.e.select(done, one, v[1]));
        return Values{l.e.select(done, v[0], v[1]),
                      l.e.select(done, zero, rest)};
      })[0]};
}

constexpr Op<> kGcd{
    .name = "gcd",
    .infer =
        [](Infer& in, const NoOptions&) {
          if (!is_integer(in.dtype(0))) {
            in.error().expected("integers").got(in.dtype(0)).raise<TypeError>();
          }
          return infer_elementwise(in);
        },
    .lower = lower_gcd,
    .vjp = not_differentiable("its inputs are integers"),
    .residuals = {0, 0}};

constexpr const OpDef* kCatalog[] = {
    &kDefinition<kFmod>,      &kDefinition<kTruncatediv>, &kDefinition<kHypot>,
    &kDefinition<kLogaddexp>, &kDefinition<kNextafter>,   &kDefinition<kCbrt>,
    &kDefinition<kGcd>};

Tensor real(const Arg& x) { return cast(x, floating_dtype(x.dtype())); }

// The factor that x is multiplied by, with its gradient, or 0 where x is 0.
Tensor zero_or_product(const Tensor& x, const Tensor& y,
                       Tensor (*f)(const Arg&)) {
  const Tensor none = equal(x, 0);
  return where(none, 0, x * f(where(none, 1, y)));
}

}  // namespace

std::span<const OpDef* const> internal::ops::arithmetic_catalog() {
  return kCatalog;
}

Tensor absolute(const Arg& x) { return abs(x); }
Tensor true_divide(const Arg& x, const Arg& y) { return divide(x, y); }
Tensor pow(const Arg& x, const Arg& y) { return power(x, y); }
Tensor floormod(const Arg& x, const Arg& y) { return mod(x, y); }
Tensor remainder(const Arg& x, const Arg& y) { return mod(x, y); }
Tensor fmod(const Arg& x, const Arg& y) { return record_binary<kFmod>(x, y); }
Tensor truncatemod(const Arg& x, const Arg& y) { return fmod(x, y); }
Tensor truncatediv(const Arg& x, const Arg& y) {
  return record_binary<kTruncatediv>(x, y);
}

Tensor divide_no_nan(const Arg& x, const Arg& y) {
  const auto [a, b] = promote_operands(x, y);
  const Tensor none = equal(b, 0);
  return where(none, 0, divide(a, where(none, 1, b)));
}

Tensor multiply_no_nan(const Arg& x, const Arg& y) {
  const auto [a, b] = promote_operands(x, y);
  const Tensor none = equal(b, 0);
  return where(none, 0, where(none, 0, a) * b);
}

Tensor squared_difference(const Arg& x, const Arg& y) {
  return square(subtract(x, y));
}

Tensor xlogy(const Arg& x, const Arg& y) {
  const auto [a, b] = promote_operands(x, y);
  return zero_or_product(real(a), real(b), log);
}

Tensor xlog1py(const Arg& x, const Arg& y) {
  const auto [a, b] = promote_operands(x, y);
  return zero_or_product(real(a), real(b), log1p);
}

Tensor hypot(const Arg& x, const Arg& y) {
  return record_real_binary<kHypot>(x, y);
}
Tensor logaddexp(const Arg& x, const Arg& y) {
  return record_real_binary<kLogaddexp>(x, y);
}
Tensor logaddexp2(const Arg& x, const Arg& y) {
  const auto [a, b] = promote_operands(x, y);
  const double unit = std::log(2.0);
  return logaddexp(real(a) * unit, real(b) * unit) / unit;
}

Tensor heaviside(const Arg& x, const Arg& y) {
  const auto [a, b] = promote_operands(x, y);
  const Tensor in = real(a);
  // What is not ordered stays: NaN.
  return where(equal(in, 0), real(b),
               where(in < 0, 0, where(in > 0, 1, stop_gradient(in))));
}

Tensor nextafter(const Arg& x, const Arg& y) {
  return record_real_binary<kNextafter>(x, y);
}

Tensor ldexp(const Arg& x, const Arg& y) {
  if (!is_integer(y.dtype()) && y.dtype() != DType::boolean) {
    internal::Message("ldexp")
        .expected("an integer exponent")
        .got(y.dtype())
        .at(x.where())
        .raise<TypeError>();
  }
  const Tensor in = real(x);
  // In two halves, so that neither power overflows before its time.
  const Tensor n = cast(y, DType::int32);
  const Tensor half = floor_divide(n, 2);
  const auto two_to = [&](const Tensor& exponent) {
    return round(power(2, cast(abs(exponent), in.dtype())));
  };
  const auto scaled = [&](const Tensor& value, const Tensor& exponent) {
    return where(exponent < 0, value / two_to(exponent),
                 value * two_to(exponent));
  };
  return scaled(scaled(in, half), n - half);
}

Tensor copysign(const Arg& x, const Arg& y) {
  const auto [a, b] = promote_operands(x, y);
  const Tensor size = abs(real(a));
  return where(signbit(real(b)), -size, size);
}

Tensor gcd(const Arg& x, const Arg& y) { return record_binary<kGcd>(x, y); }

Tensor lcm(const Arg& x, const Arg& y) {
  const Tensor divisor = gcd(x, y);
  const Tensor none = equal(divisor, 0);
  const Tensor quotient = floor_divide(abs(x), where(none, 1, divisor));
  return where(none, 0, quotient * abs(y));
}

Tensor exp2(const Arg& x) { return power(2.0, real(x)); }
Tensor log2(const Arg& x) { return log(x) / std::log(2.0); }
Tensor log10(const Arg& x) { return log(x) / std::log(10.0); }
Tensor logit(const Arg& x) { return log(x) - log1p(-real(x)); }
Tensor cbrt(const Arg& x) { return record_real<kCbrt>(x); }

Tensor trunc(const Arg& x) {
  const Tensor in = x.tensor();
  if (!is_floating(in.dtype())) return in;
  return where(in < 0, ceil(in), floor(in));
}

Tensor rint(const Arg& x) { return round(real(x)); }

Tensor signbit(const Arg& x) {
  const Tensor in = x.tensor();
  if (!is_floating(in.dtype())) return in < 0;
  // 1 / -0 is minus infinity.
  return where(equal(in, 0), 1 / in < 0, in < 0);
}

Tensor isnan(const Arg& x) {
  const Tensor in = x.tensor();
  return not_equal(in, in);
}

Tensor isinf(const Arg& x) {
  return logical_not(logical_or(isfinite(x), isnan(x)));
}

Tensor isposinf(const Arg& x) { return logical_and(isinf(x), x > 0); }
Tensor isneginf(const Arg& x) { return logical_and(isinf(x), x < 0); }

Tensor isclose(const Arg& x, const Arg& y, const IscloseOptions& options) {
  auto [a, b] = promote_operands(x, y);
  a = real(a), b = real(b);
  const Tensor near = abs(a - b) <= options.atol + options.rtol * abs(b);
  const Tensor close = where(isfinite(b), near, equal(a, b));
  if (!options.equal_nan) return close;
  return logical_or(close, logical_and(isnan(a), isnan(b)));
}

Tensor nan_to_num(const Arg& x, const NanToNumOptions& options) {
  const Tensor in = x.tensor();
  if (!is_floating(in.dtype())) return in;
  const auto largest = [&] {
    switch (in.dtype()) {
      case DType::float64:
        return std::numeric_limits<double>::max();
      case DType::float32:
        return static_cast<double>(std::numeric_limits<float>::max());
      case DType::bfloat16:
        return 0x1.FEp127;
      case DType::float16:
        return 65504.0;
      case DType::float8_e4m3fn:
        return 448.0;
      default:
        return 57344.0;
    }
  };
  const Tensor number = where(isnan(in), options.nan, in);
  const Tensor below =
      where(isposinf(number), options.posinf.value_or(largest()), number);
  return where(isneginf(below), options.neginf.value_or(-largest()), below);
}

Tensor clip_by_value(const Arg& x, const Arg& clip_value_min,
                     const Arg& clip_value_max) {
  return clip(x, clip_value_min, clip_value_max);
}

Tensor select(const std::vector<Tensor>& condlist,
              const std::vector<Tensor>& choicelist, const Arg& default_) {
  if (condlist.size() != choicelist.size() || condlist.empty()) {
    internal::Message("select")
        .expected("as many choices as conditions, at least one")
        .got(choicelist.size(), " and ", condlist.size())
        .at(default_.where())
        .raise<ValueError>();
  }
  Tensor result = where(condlist.back(), choicelist.back(), default_);
  for (size_t i = condlist.size() - 1; i-- > 0;) {
    result = where(condlist[i], choicelist[i], result);
  }
  return result;
}

}  // namespace systolic
