// Tested by: systolic/ops/special_platform_test.cc
// The incomplete gamma and beta functions: series and continued fractions,
// all elements of a Tensor at once, until the slowest has converged.
#include <cmath>
#include <functional>
#include <numeric>

#include "systolic/base/message.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/math.h"
#include "systolic/ops/special.h"
#include "systolic/ops/unary.h"

namespace systolic {

using namespace internal::graph;
using namespace internal::ops;
namespace stablehlo = internal::stablehlo;
using stablehlo::Value;

namespace {

// Formulas on values of one spec, written as such.
class Formula {
 public:
  Formula(stablehlo::Emitter& e, const TensorSpec& spec) : e(e), spec(spec) {}

  stablehlo::Emitter& e;
  TensorSpec spec;

  Value number(double value) const { return e.splat(spec, value); }
  Value add(const Value& x, const Value& y) const {
    return e.binary("add", x, y);
  }
  Value add(const Value& x, double y) const { return add(x, number(y)); }
  Value sub(const Value& x, const Value& y) const {
    return e.binary("subtract", x, y);
  }
  Value mul(const Value& x, const Value& y) const {
    return e.binary("multiply", x, y);
  }
  Value mul(const Value& x, double y) const { return mul(x, number(y)); }
  Value div(const Value& x, const Value& y) const {
    return e.binary("divide", x, y);
  }
  Value unary(const char* op, const Value& x) const { return e.unary(op, x); }
  Value both(const Value& x, const Value& y) const {
    return e.binary("and", x, y);
  }
  Value either(const Value& x, const Value& y) const {
    return e.binary("or", x, y);
  }
  Value is(const Value& x, const char* direction, double y) const {
    return e.compare(direction, x, number(y));
  }
  Value choose(const Value& condition, const Value& x, const Value& y) const {
    return e.select(condition, x, y);
  }
  double epsilon() const {
    return spec.dtype == DType::float64 ? 0x1p-52 : 0x1p-23;
  }

  // Repeats `step` on `state` until no element of its first result, "goes
  // on", is true. The elements that are done keep their state.
  Values iterate(Values state, const Value& goes_on,
                 const std::function<Values(std::span<const Value>)>& step,
                 int most) const {
    const TensorSpec scalar{DType::int32, Shape::scalar()};
    state.insert(state.begin(), {e.splat(scalar, 0), goes_on});
    std::vector<int64_t> axes(static_cast<size_t>(spec.shape.rank()));
    std::iota(axes.begin(), axes.end(), 0);
    Values last = e.while_loop(
        state,
        [&](std::span<const Value> v) {
          const Value any =
              e.reduce(stablehlo::Combine::logical_or, v[1], axes);
          return Values{
              both(any, e.compare("LT", v[0], e.splat(scalar, most)))};
        },
        [&](std::span<const Value> v) {
          const Values next = step(v.subspan(2));
          Values result{e.binary("add", v[0], e.splat(scalar, 1)),
                        both(v[1], next[0])};
          for (size_t i = 2; i < v.size(); ++i) {
            result.push_back(choose(v[1], next[i - 1], v[i]));
          }
          return result;
        });
    last.erase(last.begin(), last.begin() + 2);
    return last;
  }
};

// A tensor of any size converges long before; large a need about sqrt(a)
// steps.
constexpr int kMostSteps = 10000;

// exp(a log x - x - lgamma(a)).
Value density(const Formula& f, const Value& a, const Value& x) {
  return f.unary("exponential", f.sub(f.sub(f.mul(a, f.unary("log", x)), x),
                                      f.unary("chlo.lgamma", a)));
}

// P(a, x) by its power series, for x below 1 or a.
Value gamma_series(const Formula& f, const Value& a, const Value& x,
                   const Value& enabled) {
  const Value one = f.number(1);
  const Values end = f.iterate(
      {a, one, one}, enabled,
      [&](std::span<const Value> v) {
        const Value r = f.add(v[0], 1);
        const Value term = f.mul(v[1], f.div(x, r));
        const Value total = f.add(v[2], term);
        const Value more = f.is(f.div(term, total), "GT", f.epsilon());
        return Values{more, r, term, total};
      },
      kMostSteps);
  return f.div(f.mul(density(f, a, x), end[2]), a);
}

// Q(a, x) by its continued fraction, for the other x (as Cephes has it).
Value gamma_fraction(const Formula& f, const Value& a, const Value& x,
                     const Value& enabled) {
  const Value one = f.number(1);
  const Value y = f.sub(one, a), z = f.add(f.add(x, y), 1);
  const Value p1 = f.add(x, 1), q1 = f.mul(z, x);
  const double large = 1 / f.epsilon();
  const Values end = f.iterate(
      {f.number(0), y, z, one, x, p1, q1, f.div(p1, q1)}, enabled,
      [&](std::span<const Value> v) {
        const Value c = f.add(v[0], 1), y = f.add(v[1], 1), z = f.add(v[2], 2);
        const Value yc = f.mul(y, c);
        const Value p = f.sub(f.mul(v[5], z), f.mul(v[3], yc));
        const Value q = f.sub(f.mul(v[6], z), f.mul(v[4], yc));
        const Value none = f.is(q, "EQ", 0);
        const Value r = f.div(p, f.choose(none, one, q));
        const Value change = f.unary("abs", f.div(f.sub(v[7], r), r));
        const Value more = f.either(none, f.is(change, "GT", f.epsilon()));
        // Numerators and denominators grow without bound.
        const Value scale = f.choose(f.is(f.unary("abs", p), "GT", large),
                                     f.number(f.epsilon()), one);
        return Values{more,
                      c,
                      y,
                      z,
                      f.mul(v[5], scale),
                      f.mul(v[6], scale),
                      f.mul(p, scale),
                      f.mul(q, scale),
                      f.choose(none, v[7], r)};
      },
      kMostSteps);
  return f.mul(end[7], density(f, a, x));
}

Values in_wide(Lower& l,
               const std::function<Value(const Formula&, Values)>& f) {
  const DType dtype = l.result().dtype;
  const DType wide = dtype == DType::float64 ? dtype : DType::float32;
  Values in = broadcast_inputs(l);
  for (Value& value : in) value = l.e.convert(value, wide);
  const Formula formula(l.e, {wide, l.result().shape});
  return {l.e.convert(f(formula, in), dtype)};
}

// P or Q: whichever is small is computed, the other is what it lacks of one.
template <bool upper>
Values lower_igamma(Lower& l, const NoOptions&) {
  return in_wide(l, [](const Formula& f, const Values& in) {
    const Value &a = in[0], &x = in[1];
    const Value invalid =
        f.either(f.either(f.is(x, "LT", 0), f.is(a, "LE", 0)),
                 f.either(f.e.compare("NE", x, x), f.e.compare("NE", a, a)));
    const Value at_zero = f.is(x, "EQ", 0);
    const Value at_end = f.is(x, "EQ", INFINITY);
    const Value usual =
        f.unary("not", f.either(invalid, f.either(at_zero, at_end)));
    const Value one = f.number(1), zero = f.number(0);
    const Value safe_a = f.choose(usual, a, one);
    const Value safe_x = f.choose(usual, x, one);
    const Value by_fraction =
        f.both(f.is(safe_x, "GT", 1), f.e.compare("GT", safe_x, safe_a));
    const Value series = gamma_series(
        f, safe_a, safe_x, f.both(usual, f.unary("not", by_fraction)));
    const Value fraction =
        gamma_fraction(f, safe_a, safe_x, f.both(usual, by_fraction));
    Value y = upper ? f.choose(by_fraction, fraction, f.sub(one, series))
                    : f.choose(by_fraction, f.sub(one, fraction), series);
    y = f.choose(at_zero, upper ? one : zero, y);
    y = f.choose(at_end, upper ? zero : one, y);
    return f.choose(invalid, f.number(NAN), y);
  });
}

Specs infer_reals(Infer& in, const NoOptions& o) {
  infer_real(in, o);
  return infer_elementwise(in);
}

// TensorFlow has no gradient of a parameter either, or only an approximate
// one: an error is better than a wrong step.
void refuse_parameter(Vjp& v, int count, const char* who) {
  for (int i = 0; i < count; ++i) {
    if (!v.needs(i)) continue;
    internal::Message(who)
        .expected("a gradient of x only")
        .got("a request for that of parameter ", i)
        .hint("put stop_gradient around the parameter")
        .raise<ValueError>();
  }
}

Grads igamma_gradient(Vjp& v, bool upper) {
  refuse_parameter(v, 1, upper ? "igammac" : "igamma");
  const Tensor a = v.input(0), x = v.input(1);
  const Tensor slope = exp((a - 1) * log(x) - x - lgamma(a));
  const Tensor g = v.gradient() * slope;
  return {Tensor(), sum_to(upper ? -g : g, v.input_spec(1).shape)};
}

constexpr Op<> kIgamma{
    .name = "igamma",
    .infer = infer_reals,
    .lower = lower_igamma<false>,
    .vjp = [](Vjp& v, const NoOptions&) { return igamma_gradient(v, false); },
    .residuals = {3, 0}};

constexpr Op<> kIgammac{
    .name = "igammac",
    .infer = infer_reals,
    .lower = lower_igamma<true>,
    .vjp = [](Vjp& v, const NoOptions&) { return igamma_gradient(v, true); },
    .residuals = {3, 0}};

// The continued fraction of the incomplete beta function by Lentz's method
// (DLMF 8.17.22), two terms a step.
Value beta_fraction(const Formula& f, const Value& a, const Value& b,
                    const Value& x, const Value& enabled) {
  const Value one = f.number(1);
  const double tiny = f.spec.dtype == DType::float64 ? 1e-300 : 1e-30;
  const auto away = [&](const Value& v) {
    return f.choose(f.e.compare("LT", f.unary("abs", v), f.number(tiny)),
                    f.number(tiny), v);
  };
  const Value sum = f.add(a, b);
  const Value first =
      f.div(one, away(f.sub(one, f.div(f.mul(sum, x), f.add(a, 1)))));
  const Values end = f.iterate(
      {one, one, first, first}, enabled,
      [&](std::span<const Value> v) {
        const Value m = v[0], twice = f.mul(m, 2), am = f.add(a, twice);
        const Value even =
            f.div(f.mul(f.mul(m, f.sub(b, m)), x), f.mul(f.add(am, -1), am));
        const Value odd =
            f.unary("negate", f.div(f.mul(f.mul(f.add(a, m), f.add(sum, m)), x),
                                    f.mul(am, f.add(am, 1))));
        Value c = v[1], d = v[2], h = v[3], change;
        for (const Value& term : {even, odd}) {
          d = f.div(one, away(f.add(one, f.mul(term, d))));
          c = away(f.add(one, f.div(term, c)));
          change = f.mul(c, d);
          h = f.mul(h, change);
        }
        const Value more =
            f.is(f.unary("abs", f.sub(change, one)), "GT", f.epsilon());
        return Values{more, f.add(m, 1), c, d, h};
      },
      kMostSteps);
  return end[3];
}

Values lower_betainc(Lower& l, const NoOptions&) {
  return in_wide(l, [](const Formula& f, const Values& in) {
    const Value &a = in[0], &b = in[1], &x = in[2];
    // Not (0 < x < 1 and a, b > 0): NaN gets here, too.
    const Value positive = f.both(f.is(a, "GT", 0), f.is(b, "GT", 0));
    const Value usual =
        f.both(positive, f.both(f.is(x, "GT", 0), f.is(x, "LT", 1)));
    const Value one = f.number(1), half = f.number(0.5);
    const Value p = f.choose(usual, a, one), q = f.choose(usual, b, one);
    const Value y = f.choose(usual, x, half);
    // Beyond the middle the other end converges faster.
    const Value turned =
        f.e.compare("GT", y, f.div(f.add(p, 1), f.add(f.add(p, q), 2)));
    const Value from = f.choose(turned, q, p), to = f.choose(turned, p, q);
    const Value at = f.choose(turned, f.sub(one, y), y);
    const Value rest = f.choose(turned, y, f.sub(one, y));
    const Value fraction = beta_fraction(f, from, to, at, usual);
    const auto lgamma = [&](const Value& v) {
      return f.unary("chlo.lgamma", v);
    };
    const Value beta =
        f.sub(f.add(lgamma(from), lgamma(to)), lgamma(f.add(from, to)));
    const Value size =
        f.unary("exponential", f.sub(f.add(f.mul(from, f.unary("log", at)),
                                           f.mul(to, f.unary("log", rest))),
                                     beta));
    const Value part = f.div(f.mul(size, fraction), from);
    const Value inside = f.choose(turned, f.sub(one, part), part);
    const Value end = f.both(positive, f.is(x, "EQ", 0));
    const Value other_end = f.both(positive, f.is(x, "EQ", 1));
    return f.choose(
        usual, inside,
        f.choose(end, f.number(0), f.choose(other_end, one, f.number(NAN))));
  });
}

constexpr Op<> kBetainc{
    .name = "betainc",
    .infer = infer_reals,
    .lower = lower_betainc,
    .vjp =
        [](Vjp& v, const NoOptions&) {
          refuse_parameter(v, 2, "betainc");
          const Tensor a = v.input(0), b = v.input(1), x = v.input(2);
          const Tensor slope =
              exp((a - 1) * log(x) + (b - 1) * log1p(-x) - betaln(a, b));
          return Grads{Tensor(), Tensor(),
                       sum_to(v.gradient() * slope, v.input_spec(2).shape)};
        },
    .residuals = {7, 0}};

constexpr const OpDef* kCatalog[] = {
    &kDefinition<kIgamma>, &kDefinition<kIgammac>, &kDefinition<kBetainc>};

}  // namespace

std::span<const OpDef* const> internal::ops::incomplete_catalog() {
  return kCatalog;
}

Tensor igamma(const Arg& a, const Arg& x) {
  return record_real_binary<kIgamma>(a, x);
}

Tensor igammac(const Arg& a, const Arg& x) {
  return record_real_binary<kIgammac>(a, x);
}

Tensor betainc(const Arg& a, const Arg& b, const Arg& x) {
  const auto [p, q] = promote_operands(a, b);
  const auto [at, y] = promote_operands(p, x);
  const DType dtype = floating_dtype(at.dtype());
  return record<kBetainc>(
      {cast(p, dtype).ref(), cast(q, dtype).ref(), cast(y, dtype).ref()},
      NoOptions{}, a.where());
}

}  // namespace systolic
