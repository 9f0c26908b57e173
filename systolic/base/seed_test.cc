#include "systolic/base/seed.h"

#include <gtest/gtest.h>

#include <set>

namespace systolic {
namespace {

TEST(SeedTest, SequenceRestartsWithTheSeed) {
  set_random_seed(7);
  const uint64_t first = internal::draw_seed();
  const uint64_t second = internal::draw_seed();
  EXPECT_NE(first, second);
  set_random_seed(7);
  EXPECT_EQ(internal::draw_seed(), first);
  EXPECT_EQ(internal::draw_seed(), second);
  set_random_seed(8);
  EXPECT_NE(internal::draw_seed(), first);
}

TEST(SeedTest, MixedSeedsDiffer) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    for (uint64_t value = 0; value < 50; ++value) {
      seen.insert(internal::mix_seed(seed, value));
    }
  }
  // Sums of seed and value do not collide systematically.
  EXPECT_GT(seen.size(), 2490u);
}

}  // namespace
}  // namespace systolic
