#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/base/philox.h"
#include "systolic/base/seed.h"
#include "systolic/graph/program_cache.h"
#include "systolic/graph/step.h"
#include "systolic/ops/control_flow.h"
#include "systolic/ops/image_random.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/random.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::random_samples() {
  return {{.op = "random_bits",
           .call =
               [](const Tensors&) {
                 return Tensors{
                     random::bits({3, 5}, {.seed = 1}),
                     random::bits({3, 5}, {.seed = 1, .batch_rows = true}),
                     random::bits({0, 2}, {.seed = 1})};
               }},
          {.op = "random_bits",
           .name = "of seeds of two numbers",
           .call =
               [](const Tensors& in) {
                 return Tensors{
                     image::stateless_random_crop(in[0], {2, 1}, {1, 2}),
                     image::stateless_random_crop(in[0], {2, 1}, in[1])};
               },
           .inputs = {Array::from({1.5, 2., -1., 0.5}, {2, 2}),
                      Array::from({3, 4})},
           .dtypes = contracts::kInexact},
          {.op = "random_uniform",
           .call =
               [](const Tensors& in) {
                 const DType dtype = in[0].dtype();
                 return Tensors{
                     random::uniform({7}, 0, 1, {.seed = 1, .dtype = dtype}),
                     random::normal({2, 3}, 1, 2, {.seed = 2, .dtype = dtype}),
                     random::truncated_normal({5}, 0, 1,
                                              {.seed = 3, .dtype = dtype}),
                     random::dropout(in[0], 0.5, {.seed = 4})};
               },
           .inputs = {Array::from({1.5, 2., -1., 0.5}, {2, 2})},
           .gradient = false,
           // Uniform numbers of a narrow dtype have fewer bits.
           .error = 2},
          {.op = "random_uniform",
           .name = "in dropout",
           .call =
               [](const Tensors& in) {
                 return Tensors{random::dropout(in[0], 0.25, {.seed = 5})};
               },
           .inputs = {Array::from({1.5, 2., -1., 0.5}, {2, 2})},
           .dtypes = {DType::float32, DType::float64, DType::complex64,
                      DType::complex128}},
          {.op = "advance_seed", .call = [](const Tensors&) {
             const random::SeedGenerator generator(3);
             random::bits({5}, {.seed = generator});
             return Tensors{generator.state().value()};
           }}};
}

namespace {

using internal::graph::Placement;
using internal::graph::Step;
using internal::ops::Comparisons;
using internal::ops::message_of;
using random::SeedGenerator;

const Placement* eight() {
  return Placement::replicas(
      internal::runtime::Client::open({.device_count = 8}).devices());
}

TEST(Random, BitsAreTheHosts) {
  Comparisons list;
  for (int64_t seed :
       {int64_t{0}, int64_t{42}, int64_t{1} << 40, int64_t{-1}}) {
    const auto key = static_cast<uint64_t>(seed);
    list.add("a vector", random::bits({10}, {.seed = seed}),
             random::host_bits(key, 0, {10}));
    list.add("a matrix", random::bits({3, 7}, {.seed = seed}),
             random::host_bits(key, 0, {3, 7}));
  }
  list.add("a scalar", random::bits(Shape::scalar(), {.seed = 1}),
           random::host_bits(1, 0, Shape::scalar()));
  list.add("none", random::bits({0, 3}, {.seed = 1}),
           Array::zeros({0, 3}, DType::uint32));
}

// Compiles of drawing so often, looking at each number.
uint64_t compiles_of_draws(int count, bool look_at_once) {
  auto& cache = internal::graph::ProgramCache::instance();
  const uint64_t before = cache.statistics().compiles;
  const SeedGenerator generator(7), same(7);
  std::vector<Tensor> drawn;
  for (int i = 0; i < count; ++i) {
    drawn.push_back(random::uniform({5}, 0, 1, {.seed = generator}));
    if (look_at_once) drawn.back().numpy();
  }
  // Each by itself, and all the same numbers in one program.
  std::vector<Tensor> again;
  for (int i = 0; i < 5; ++i) {
    again.push_back(random::uniform({5}, 0, 1, {.seed = same}));
  }
  const Array together = stack(again).numpy();
  for (int i = 0; i < count; ++i) {
    const Array one = drawn[static_cast<size_t>(i)].numpy();
    if (i < 5) {
      EXPECT_TRUE(array_equal(together[i], one)) << i;
    }
  }
  return cache.statistics().compiles - before;
}

// Not one for each: the state is no longer made of all draws before.
// As on devices, where the counter's lower half begins anew.
TEST(Random, BitsOfTheHostCarryIntoTheUpperHalf) {
  const Array bits = random::host_bits(5, ~uint64_t{0}, {8});
  const auto second = internal::philox({0, 0, 6, 0}, 5);
  EXPECT_TRUE(
      std::ranges::equal(bits.span<uint32_t>().subspan(4), std::span(second)));
}

TEST(Random, DrawingInALoopCompilesOnce) {
  EXPECT_LE(compiles_of_draws(100, true), 5u);
  EXPECT_LE(compiles_of_draws(100, false), 5u);
}

// With batch_rows each row has counters of its own: two blocks of four words
// hold the five of a row.
TEST(Random, RowsAreKeyedByTheirPlace) {
  std::vector<Array> rows;
  for (uint64_t i = 0; i < 3; ++i) {
    rows.push_back(random::host_bits(9, 2 * i, {5}));
  }
  const Tensor bits = random::bits({3, 5}, {.seed = 9, .batch_rows = true});
  EXPECT_TRUE(array_equal(bits.numpy(), stack(rows)));
}

TEST(Random, GeneratorsMoveOn) {
  const SeedGenerator generator(7);
  const Tensor first = random::bits({5}, {.seed = generator});
  const Tensor second = random::bits({4}, {.seed = generator});
  const Tensor third = random::bits({1}, {.seed = generator});
  Comparisons list;
  list.add("first", first, random::host_bits(7, 0, {5}));
  list.add("second", second, random::host_bits(7, 2, {4}));
  list.add("third", third, random::host_bits(7, 3, {1}));
  list.check();
  EXPECT_EQ(generator.state().numpy().to_string(), "[7 4]");
}

TEST(Random, SeedsDecide) {
  const auto draw = [](const random::Seed& seed) {
    return random::uniform({4}, 0, 1, {.seed = seed}).numpy();
  };
  EXPECT_TRUE(array_equal(draw(3), draw(3)));
  EXPECT_FALSE(array_equal(draw(3), draw(4)));
  EXPECT_FALSE(array_equal(draw({}), draw({})));
  set_random_seed(11);
  const Array first = draw({}), other = draw(SeedGenerator());
  EXPECT_FALSE(array_equal(first, other));
  set_random_seed(11);
  EXPECT_TRUE(array_equal(draw({}), first));
  EXPECT_TRUE(array_equal(draw(SeedGenerator()), other));
}

// The largest distance between the empirical and the wanted distribution.
template <class F>
double distance(const Array& sample, F distribution) {
  const auto values = sample.span<float>();
  std::vector<float> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  double most = 0;
  const auto n = static_cast<double>(sorted.size());
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double wanted = distribution(static_cast<double>(sorted[i]));
    most = std::max({most, std::abs(wanted - static_cast<double>(i) / n),
                     std::abs(wanted - static_cast<double>(i + 1) / n)});
  }
  return most;
}

double normal_cdf(double v) { return 0.5 * std::erfc(-v / std::sqrt(2.)); }

// Kolmogorov and Smirnov: beyond 1.95 / sqrt(n) one time in a thousand; the
// seeds are fixed, so it is these draws or never.
TEST(Random, DistributionsAreRight) {
  constexpr int64_t kCount = 20000;
  const double limit = 1.95 / std::sqrt(static_cast<double>(kCount));
  const Array uniform = random::uniform({kCount}, -2, 3, {.seed = 1}).numpy();
  EXPECT_LT(distance(uniform, [](double v) { return (v + 2) / 5; }), limit);
  EXPECT_GE(min(uniform).item<float>(), -2);
  EXPECT_LT(max(uniform).item<float>(), 3);
  const Array normal = random::normal({kCount}, 5, 2, {.seed = 2}).numpy();
  EXPECT_LT(distance(normal, [](double v) { return normal_cdf((v - 5) / 2); }),
            limit);
  const Array truncated =
      random::truncated_normal({kCount}, 1, 3, {.seed = 3}).numpy();
  EXPECT_LE(max(abs(truncated - 1)).item<float>(), 6.f);
  const double lost = normal_cdf(-2);
  EXPECT_LT(distance(truncated,
                     [&](double v) {
                       return (normal_cdf((v - 1) / 3) - lost) / (1 - 2 * lost);
                     }),
            limit);
  const Array coins = random::bernoulli({kCount}, 0.3, {.seed = 4}).numpy();
  EXPECT_EQ(coins.dtype(), DType::boolean);
  EXPECT_NEAR(mean(coins).item<double>(), 0.3, 0.01);
}

// The whole range of bits: also the ends give finite numbers.
TEST(Random, EndsOfTheRange) {
  const int64_t count = 1 << 16;
  for (DType dtype :
       {DType::bfloat16, DType::float16, DType::float32, DType::float64}) {
    const Array u = cast<double>(
        random::uniform({count}, 0, 1, {.seed = 1, .dtype = dtype}).numpy());
    EXPECT_GE(min(u).item<double>(), 0) << name(dtype);
    EXPECT_LT(max(u).item<double>(), 1) << name(dtype);
    EXPECT_NEAR(mean(u).item<double>(), 0.5, 0.01) << name(dtype);
  }
  EXPECT_EQ(sum(random::bernoulli({64}, 0, {.seed = 1})).item<int>(), 0);
  EXPECT_EQ(sum(random::bernoulli({64}, 1, {.seed = 1})).item<int>(), 64);
}

TEST(Random, DropoutScalesWhatItKeeps) {
  const Array x = Array::ones({1000, 4});
  const Array y = random::dropout(constant(x), 0.25, {.seed = 1}).numpy();
  int64_t kept = 0;
  for (float value : y.span<float>()) {
    EXPECT_TRUE(value == 0 || std::abs(value - 4 / 3.f) < 1e-6f) << value;
    kept += value != 0;
  }
  EXPECT_NEAR(static_cast<double>(kept) / 4000, 0.75, 0.02);
  const Tensor all = constant(x);
  EXPECT_TRUE(array_equal(random::dropout(all, 0).numpy(), x));
}

// A row of the batch is dropped alike whichever replica has it; afterwards
// the generator is where it would be without replicas.
TEST(Random, DropoutDoesNotDependOnTheNumberOfReplicas) {
  const SeedGenerator alone(5), shared(5);
  Tensor whole;
  for (int step = 0; step < 2; ++step) {
    whole = random::dropout(ones({16, 5}), 0.5, {.seed = alone});
    Tensor part;
    {
      Step replicas(eight(), "test");
      part = random::dropout(ones({2, 5}), 0.5, {.seed = shared});
      replicas.commit(std::span(&part, 1));
    }
    const auto parts = internal::graph::storage_of(part.ref())->replicas();
    ASSERT_EQ(parts.size(), 8u);
    EXPECT_TRUE(array_equal(concatenate(parts), whole.numpy())) << step;
  }
  EXPECT_TRUE(array_equal(alone.state().numpy(), shared.state().numpy()));
}

TEST(Random, AGeneratorMovesOnInALoop) {
  const SeedGenerator generator(3);
  const Variable total(constant(Array::zeros({2}, DType::uint32)));
  for_loop(3, [&](const Tensor&) {
    Variable(total).assign_add(random::bits({2}, {.seed = generator}));
  });
  const Array wanted = random::host_bits(3, 0, {2}) +
                       random::host_bits(3, 1, {2}) +
                       random::host_bits(3, 2, {2});
  EXPECT_TRUE(array_equal(total.numpy(), wanted));
  EXPECT_EQ(generator.state().numpy().to_string(), "[3 3]");
}

TEST(Random, WrongNumbersAreTold) {
  EXPECT_EQ(message_of<ValueError>([] { random::bernoulli({2}, 1.5); }),
            "random.bernoulli: expected a probability in [0, 1], got 1.5");
  EXPECT_EQ(message_of<ValueError>([] { random::dropout(ones({2}), 1); }),
            "random.dropout: expected a rate in [0, 1), got 1");
  EXPECT_EQ(message_of<TypeError>(
                [] { random::uniform({2}, 0, 1, {.dtype = DType::int32}); }),
            "random: expected a floating-point dtype, got int32");
}

}  // namespace
}  // namespace systolic
