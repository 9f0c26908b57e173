// Many sums over the replicas, of all sizes, one after the other and from two
// threads: no value of one launch is ever another's.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>
#include <thread>

#include "systolic/distribute/test_strategies.h"
#include "systolic/ops/ops.h"

namespace systolic::distribute {
namespace {

constexpr int kReplicas = 4;

// One sum of values that are all different, and the same on the host.
bool sums_well(const Strategy& strategy, int64_t size, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<size_t>(size * kReplicas));
  for (float& value : values) value = uniform(random);
  const auto dataset =
      data::Dataset::from_tensor_slices(Array::from(values, {kReplicas, size}));
  auto it = strategy.distribute_dataset(dataset.batch(kReplicas)).iterator();
  const PerReplica all = strategy.run(
      [](Tensor x) { return expand_dims(all_reduce(ReduceOp::sum, x), 0); },
      it.next());
  const std::vector<Tensor> parts = strategy.local_results(all);
  for (const Tensor& part : parts) {
    const Array got = part.numpy();
    for (int64_t i = 0; i < size; ++i) {
      float wanted = 0;
      for (int r = 0; r < kReplicas; ++r) {
        wanted += values[static_cast<size_t>(r * size + i)];
      }
      if (!(std::abs(got.span<float>()[static_cast<size_t>(i)] - wanted) <
            1e-5f)) {
        return false;
      }
    }
  }
  return true;
}

// C112: a thousand sums.
TEST(StressPlatformTest, SumsOfMixedSizesAreThoseOfTheHost) {
  constexpr int64_t kSizes[] = {1, 2, 3, 5, 8, 31, 64, 257, 1000, 4096};
  const Strategy strategy = mirrored(kReplicas);
  std::atomic<int> wrong{0};
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 500; ++i) {
      const int64_t size = kSizes[random() % std::size(kSizes)];
      if (!sums_well(strategy, size, random)) ++wrong;
    }
  };
  std::thread other([&] { work(2); });
  work(1);
  other.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace systolic::distribute
