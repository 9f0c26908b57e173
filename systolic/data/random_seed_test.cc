#include "systolic/data/random_seed.h"

#include <gtest/gtest.h>

#include <random>

#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data {
namespace {

Dataset noisy(int64_t threads) {
  set_random_seed(3);
  return Dataset::range(50).map(
      [](int64_t x) {
        std::mt19937_64 first(random_seed()), second(random_seed());
        EXPECT_NE(first(), second());
        return x + static_cast<int64_t>(first() % 1000);
      },
      {.num_parallel_calls = threads});
}

TEST(RandomSeedTest, IsTheElements) {
  const Dataset one = noisy(1), four = noisy(4);
  const std::string pass = text(one);
  EXPECT_EQ(text(four), pass);
  EXPECT_NE(text(one), pass);
  EXPECT_EQ(resume_failure([] { return noisy(2); }), "");
}

TEST(RandomSeedTest, IsTheProgramsElsewhere) {
  set_random_seed(3);
  const uint64_t first = random_seed(), second = random_seed();
  EXPECT_NE(first, second);
  set_random_seed(3);
  EXPECT_EQ(random_seed(), first);
}

}  // namespace
}  // namespace systolic::data
