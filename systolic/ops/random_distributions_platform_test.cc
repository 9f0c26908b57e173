#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "systolic/array/arrays.h"
#include "systolic/graph/step.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/random.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {
namespace {

using internal::graph::Placement;
using internal::graph::Step;
using internal::ops::begins;
using internal::ops::message_of;
using random::SeedGenerator;

constexpr int64_t kCount = 20000;

// The seeds are fixed: it is these draws or never. Mean and variance are
// within five of their standard errors.
void expect_moments(const char* name, const Tensor& sample, double mean_of,
                    double variance) {
  const Array values = cast<double>(sample.numpy());
  const double n = static_cast<double>(values.size());
  const double m = mean(values).item<double>();
  const double v = var(values).item<double>();
  const Array fourth = square(square(values - m));
  const double spread =
      std::sqrt(std::max(mean(fourth).item<double>() - v * v, 0.0));
  EXPECT_NEAR(m, mean_of, 5 * std::sqrt(variance / n)) << name;
  EXPECT_NEAR(v, variance, 5 * spread / std::sqrt(n)) << name;
}

TEST(RandomDistributions, MomentsAreRight) {
  const Shape shape{kCount};
  constexpr double kEuler = 0.57721566490153286;
  expect_moments("exponential", random::exponential(shape, 4, {.seed = 1}),
                 0.25, 0.0625);
  expect_moments("gumbel", random::gumbel(shape, 1, 2, {.seed = 2}),
                 1 + 2 * kEuler, M_PI * M_PI / 6 * 4);
  for (double a : {0.1, 0.5, 1., 3., 200.}) {
    expect_moments("gamma", random::gamma(shape, a, {.seed = 3}), a, a);
  }
  for (const auto& [a, b] : {std::pair(0.01, 0.02), std::pair(0.5, 0.5),
                             std::pair(2., 5.), std::pair(30., 1.)}) {
    const double total = a + b;
    expect_moments("beta", random::beta(shape, a, b, {.seed = 4}), a / total,
                   a * b / (total * total * (total + 1)));
  }
  for (double lam : {0.1, 1., 9.5, 10.5, 40., 1000.}) {
    expect_moments("poisson", random::poisson(shape, lam, {.seed = 5}), lam,
                   lam);
  }
  EXPECT_EQ(sum(random::poisson({100}, 0., {.seed = 5})).item<float>(), 0);
}

// Pearson's statistic of counts and chances, whose number of degrees of
// freedom is one less: beyond five standard deviations one time in a million.
void expect_chances(const char* name, const Array& counts,
                    const std::vector<double>& chances) {
  const Array values = cast<double>(counts);
  const double n = sum(values).item<double>();
  double statistic = 0;
  for (size_t i = 0; i < chances.size(); ++i) {
    const double wanted = n * chances[i];
    const double got = values[static_cast<int64_t>(i)].item<double>();
    statistic += (got - wanted) * (got - wanted) / wanted;
  }
  const auto freedom = static_cast<double>(chances.size() - 1);
  EXPECT_LT(statistic, freedom + 5 * std::sqrt(2 * freedom)) << name;
}

Array count(const Tensor& values, int64_t classes) {
  const Array hot = one_hot(reshape(values, {-1}), classes).numpy();
  return sum(hot, {.axis = 0});
}

TEST(RandomDistributions, CountsAreRight) {
  const Tensor dice = random::randint({kCount}, 3, 9, {.seed = 1});
  EXPECT_EQ(min(dice).item<int>(), 3);
  EXPECT_EQ(max(dice).item<int>(), 8);
  expect_chances("randint", count(dice - 3, 6), std::vector<double>(6, 1. / 6));
  const std::vector<double> chances{0.1, 0.6, 0.05, 0.25};
  const Tensor logits = log(constant({{0.1, 0.6, 0.05, 0.25}}));
  const Tensor classes = random::categorical(logits, kCount, {.seed = 2});
  EXPECT_EQ(classes.spec(), (TensorSpec{DType::int32, {1, kCount}}));
  expect_chances("categorical", count(classes, 4), chances);
  std::vector<double> poisson{std::exp(-2.)};
  for (int k = 1; k < 7; ++k) poisson.push_back(poisson.back() * 2 / k);
  const Tensor below = minimum(
      random::poisson({kCount}, 2., {.seed = 3, .dtype = DType::int32}), 7);
  poisson.push_back(1 - std::accumulate(poisson.begin(), poisson.end(), 0.));
  expect_chances("poisson", count(below, 8), poisson);
}

TEST(RandomDistributions, IntegersHaveTheirWholeRange) {
  const Tensor all = random::randint({kCount}, -(int64_t{1} << 31),
                                     int64_t{1} << 31, {.seed = 1});
  EXPECT_LT(min(all).item<int>(), -2000000000);
  EXPECT_GT(max(all).item<int>(), 2000000000);
  const Tensor bytes =
      random::randint({kCount}, 0, 256, {.seed = 2, .dtype = DType::uint8});
  EXPECT_EQ(bytes.dtype(), DType::uint8);
  EXPECT_EQ(cast(max(bytes), DType::int32).item<int>(), 255);
}

TEST(RandomDistributions, ShufflesKeepEverything) {
  const Array order = random::permutation(1000, {7}).numpy();
  const auto places = order.span<int32_t>();
  std::vector<int32_t> sorted(places.begin(), places.end());
  EXPECT_FALSE(std::is_sorted(sorted.begin(), sorted.end()));
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(sorted[static_cast<size_t>(i)], i);
  const Tensor x = reshape(arange(12), {3, 4});
  const Array turned = random::shuffle(x, 1, {3}).numpy();
  EXPECT_TRUE(array_equal(sum(turned, {.axis = 1}), Array::from({6, 22, 38})));
  // Each place is equally likely to get the first element.
  std::vector<int32_t> first;
  for (int seed = 0; seed < 400; ++seed) {
    first.push_back(argmin(random::permutation(4, {seed})).item<int>());
  }
  expect_chances("permutation", count(constant(first), 4),
                 std::vector<double>(4, 0.25));
}

// Rows are drawn alike by one and by eight replicas.
TEST(RandomDistributions, DoNotDependOnTheNumberOfReplicas) {
  const auto draw = [](int64_t rows, const SeedGenerator& seed) {
    const random::RandomOptions o{.seed = seed, .batch_rows = true};
    const Tensor gamma = random::gamma({rows, 3}, 1.5, o);
    const Tensor poisson = random::poisson({rows, 3}, 4., o);
    const Tensor number = cast(
        random::randint({rows, 3}, 0, 100, {.seed = seed, .batch_rows = true}),
        DType::float32);
    const Tensor kind =
        cast(random::categorical(zeros({rows, 5}), 3,
                                 {.seed = seed, .batch_rows = true}),
             DType::float32);
    return stack({gamma, poisson, number, kind}, 1);
  };
  const SeedGenerator alone(5), shared(5);
  const Array whole = draw(16, alone).numpy();
  Tensor part;
  {
    Step replicas(
        Placement::replicas(
            internal::runtime::Client::open({.device_count = 8}).devices()),
        "test");
    part = draw(2, shared);
    replicas.commit(std::span(&part, 1));
  }
  const auto parts = internal::graph::storage_of(part.ref())->replicas();
  EXPECT_TRUE(array_equal(concatenate(parts), whole));
  EXPECT_TRUE(array_equal(alone.state().numpy(), shared.state().numpy()));
}

TEST(RandomDistributions, ParametersBroadcastAndHaveNoGradient) {
  const Tensor alpha = constant({1., 1000.});
  GradientTape tape;
  tape.watch(alpha);
  const Tensor drawn = random::gamma({500, 2}, alpha, {.seed = 1});
  const Array means = mean(drawn, {.axis = 0}).numpy();
  EXPECT_NEAR(means[0].item<float>(), 1, 0.25);
  EXPECT_NEAR(means[1].item<float>(), 1000, 10);
  // As if alpha were a constant.
  const Tensor gradient =
      tape.gradient(sum(drawn) + sum(alpha), Sources{alpha})[0];
  EXPECT_EQ(gradient.numpy().to_string(), "[1. 1.]");
}

TEST(RandomDistributions, WrongNumbersAreTold) {
  EXPECT_EQ(message_of<ValueError>([] { random::exponential({2}, 0); }),
            "random.exponential: expected a rate above 0, got 0");
  EXPECT_EQ(message_of<ValueError>([] { random::randint({2}, 3, 3); }),
            "random.randint: expected minval < maxval, at most 2^32 apart, and "
            "an integer dtype, got 3, 3 and int32");
  EXPECT_TRUE(begins(
      message_of<ShapeError>([] { random::categorical(zeros({3}), 1); }),
      "random.categorical: expected logits (n, classes) and num_samples of at "
      "least 0, got (3,) and 1"));
  EXPECT_EQ(message_of<TypeError>(
                [] { random::gamma({2}, 1., {.dtype = DType::int32}); }),
            "random.gamma: expected a floating-point dtype, got int32");
}

}  // namespace
}  // namespace systolic
