// Distributions made of uniform numbers and random words.
// Tested by: systolic/ops/random_distributions_platform_test.cc
#include <cmath>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/ops/bitwise.h"
#include "systolic/ops/control_flow.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/random.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/slicing.h"
#include "systolic/ops/sort.h"
#include "systolic/ops/special.h"

namespace systolic::random {

namespace {

// Half a step of a float32 uniform, and the largest number below 1: at 0 and 1
// logarithms are infinite.
constexpr double kHalfStep = 0x1p-25;
constexpr double kBelowOne = 1 - 0x1p-24;

// `count` uniform numbers in (0, 1) for each element of a shape, along a new
// last axis: one draw, so that an element's numbers depend on its place alone.
Tensor units(const Shape& shape, int64_t count, const RandomOptions& options) {
  Shape wide = shape;
  wide.push_back(count);
  const Tensor all = uniform(
      wide, 0, 1, {.seed = options.seed, .batch_rows = options.batch_rows});
  return minimum(all + kHalfStep, kBelowOne);
}

// Elements [first, first + count) of the last axis.
Tensor part(const Tensor& x, int64_t first, int64_t count) {
  return slice(x, {ellipsis, Slice(first, first + count)});
}

// Of each row of values the first that is accepted; of none the first.
Tensor first_accepted(const Tensor& accepted, const Tensor& values) {
  const Tensor place = argmax(cast(accepted, DType::int32), {.axis = -1});
  const Tensor chosen =
      equal(expand_dims(place, -1), arange(values.shape()[-1]));
  return sum(where(chosen, values, 0), {.axis = -1});
}

void require_positive(const char* who, const char* what, double value) {
  if (value > 0 && std::isfinite(value)) return;
  internal::Message(who)
      .expected("a ", what, " above 0")
      .got(value)
      .raise<ValueError>();
}

void require_floating(const char* who, DType dtype) {
  if (is_floating(dtype)) return;
  internal::Message(who)
      .expected("a floating-point dtype")
      .got(dtype)
      .raise<TypeError>();
}

// A parameter of a distribution in float32, in the shape of what is drawn.
Tensor parameter(const Arg& value, const Shape& shape) {
  return stop_gradient(
      broadcast_to(Arg(cast(value, DType::float32), value.where()), shape));
}

Tensor standard_normal(const Tensor& unit) {
  return erfinv(unit * 2 - 1) * std::sqrt(2.0);
}

constexpr int64_t kGammaRounds = 8;
constexpr int64_t kGammaUnits = 2 * kGammaRounds + 1;

// The logarithm of gamma numbers, which small alphas need. `unit` has
// kGammaUnits along its last axis.
Tensor log_gamma_numbers(const Tensor& alpha, const Tensor& unit) {
  // Below 1 from that of alpha + 1.
  const Tensor is_small = alpha < 1;
  const Tensor d = expand_dims(where(is_small, alpha + 1, alpha) - 1. / 3, -1);
  const Tensor x = standard_normal(part(unit, 0, kGammaRounds));
  const Tensor root = rsqrt(d * 9) * x + 1;
  const Tensor v = root * root * root;
  const Tensor log_v = log(maximum(v, 1e-30));
  const Tensor bound = x * x * 0.5 + d * (1 - v + log_v);
  const Tensor accepted =
      logical_and(v > 0, log(part(unit, kGammaRounds, kGammaRounds)) < bound);
  const Tensor result = first_accepted(accepted, log(d) + log_v);
  const Tensor last = squeeze(part(unit, kGammaUnits - 1, 1), -1);
  return where(is_small, result + log(last) / alpha, result);
}

// Means below 10: the first k whose distribution function passes a uniform
// number.
Tensor poisson_by_inversion(const Tensor& lam, const Tensor& unit) {
  const Tensor zero = zeros_like(lam), chance = exp(-lam);
  const auto found = while_loop(
      [&](const std::vector<Tensor>& v) {
        return logical_and(any(v[3] < unit), v[0] < 64);
      },
      [&](const std::vector<Tensor>& v) {
        const Tensor more = v[3] < unit;
        const Tensor k = where(more, v[1] + 1, v[1]);
        const Tensor p = where(more, v[2] * lam / maximum(k, 1), v[2]);
        return std::vector<Tensor>{v[0] + 1, k, p, where(more, v[3] + p, v[3])};
      },
      {constant(0) + 0, zero, chance, chance});
  return found[1];
}

constexpr int64_t kPoissonRounds = 12;

// Larger means: PTRS, transformed rejection with a squeeze. `unit` has twice
// kPoissonRounds along its last axis.
Tensor poisson_by_rejection(const Tensor& means, const Tensor& unit) {
  const Tensor lam = expand_dims(means, -1);
  const Tensor b = sqrt(lam) * 2.53 + 0.931;
  const Tensor a = b * 0.02483 - 0.059;
  const Tensor inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const Tensor v_r = 0.9277 - 3.6224 / (b - 2);
  const Tensor u = part(unit, 0, kPoissonRounds) - 0.5;
  const Tensor v = part(unit, kPoissonRounds, kPoissonRounds);
  const Tensor us = 0.5 - abs(u);
  const Tensor k = floor((a * 2 / us + b) * u + lam + 0.43);
  const Tensor s = log(v * inverse_alpha / (a / (us * us) + b));
  const Tensor t = k * log(lam) - lam - lgamma(maximum(k, 0) + 1);
  const Tensor squeezed = logical_and(us >= 0.07, v <= v_r);
  const Tensor outside = logical_or(k < 0, logical_and(us<0.013, v> us));
  const Tensor accepted =
      logical_or(squeezed, logical_and(logical_not(outside), s <= t));
  return first_accepted(accepted, maximum(k, 0));
}

}  // namespace

Tensor exponential(const Shape& shape, double rate,
                   const RandomOptions& options) {
  require_positive("random.exponential", "rate", rate);
  require_floating("random.exponential", options.dtype);
  return cast(log(squeeze(units(shape, 1, options), -1)) * (-1 / rate),
              options.dtype);
}

Tensor gumbel(const Shape& shape, double loc, double scale,
              const RandomOptions& options) {
  require_positive("random.gumbel", "scale", scale);
  require_floating("random.gumbel", options.dtype);
  const Tensor standard = -log(-log(squeeze(units(shape, 1, options), -1)));
  return cast(standard * scale + loc, options.dtype);
}

Tensor gamma(const Shape& shape, const Arg& alpha,
             const RandomOptions& options) {
  require_floating("random.gamma", options.dtype);
  const Tensor a = parameter(alpha, shape);
  return cast(exp(log_gamma_numbers(a, units(shape, kGammaUnits, options))),
              options.dtype);
}

Tensor beta(const Shape& shape, const Arg& alpha, const Arg& beta,
            const RandomOptions& options) {
  require_floating("random.beta", options.dtype);
  const Tensor unit = units(shape, 2 * kGammaUnits, options);
  const Tensor x =
      log_gamma_numbers(parameter(alpha, shape), part(unit, 0, kGammaUnits));
  const Tensor y = log_gamma_numbers(parameter(beta, shape),
                                     part(unit, kGammaUnits, kGammaUnits));
  return cast(sigmoid(x - y), options.dtype);
}

Tensor poisson(const Shape& shape, const Arg& lam,
               const RandomOptions& options) {
  const Tensor mean = parameter(lam, shape);
  const Tensor unit = units(shape, 2 * kPoissonRounds, options);
  const Tensor is_small = mean < 10;
  const Tensor low = poisson_by_inversion(where(is_small, mean, 0),
                                          squeeze(part(unit, 0, 1), -1));
  const Tensor high = poisson_by_rejection(where(is_small, 10, mean), unit);
  return cast(where(is_small, low, high), options.dtype);
}

Tensor randint(const Shape& shape, int64_t minval, int64_t maxval,
               const RandomIntegerOptions& options) {
  const bool fits = minval < maxval && static_cast<uint64_t>(maxval) -
                                               static_cast<uint64_t>(minval) <=
                                           (uint64_t{1} << 32);
  if (!fits || !is_integer(options.dtype)) {
    internal::Message("random.randint")
        .expected("minval < maxval, at most 2^32 apart, and an integer dtype")
        .got(minval, ", ", maxval, " and ", options.dtype)
        .raise<ValueError>();
  }
  const Tensor words =
      bits(shape, {.seed = options.seed, .batch_rows = options.batch_rows});
  // The upper half of word x range is spread evenly over the range.
  const Tensor range =
      constant(Array::scalar(static_cast<uint64_t>(maxval - minval)));
  const Tensor places =
      bitwise_right_shift(cast(words, DType::uint64) * range,
                          constant(Array::scalar(uint64_t{32})));
  const DType wide = size_of(options.dtype) == 8 ? DType::int64 : DType::int32;
  return cast(cast(places, wide) + minval, options.dtype);
}

Tensor categorical(const Arg& logits, int64_t num_samples,
                   const RandomIntegerOptions& options) {
  const Tensor scores = stop_gradient(logits);
  if (scores.rank() != 2 || scores.shape()[1] < 1 || num_samples < 0) {
    internal::Message("random.categorical")
        .expected("logits (n, classes) and num_samples of at least 0")
        .got(scores.shape(), " and ", num_samples)
        .at(logits.where())
        .raise<ShapeError>();
  }
  // The largest of logits with Gumbel noise is distributed as softmax says.
  const Tensor noise =
      gumbel({scores.shape()[0], num_samples, scores.shape()[1]}, 0, 1,
             {.seed = options.seed, .batch_rows = options.batch_rows});
  const Tensor noisy = expand_dims(cast(scores, DType::float32), 1) + noise;
  return cast(argmax(noisy, {.axis = -1}), options.dtype);
}

Tensor shuffle(const Arg& x, int axis, const Seed& seed) {
  const Tensor in = x.tensor();
  const int place = resolve_axis(axis, in.rank(), "random.shuffle");
  return take(Arg(in, x.where()), permutation(in.shape()[place], seed),
              {.axis = place});
}

Tensor permutation(int64_t n, const Seed& seed) {
  return argsort(bits({n}, {.seed = seed}));
}

}  // namespace systolic::random
