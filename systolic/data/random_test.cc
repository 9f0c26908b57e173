#include <gtest/gtest.h>

#include <set>

#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data {
namespace {

TEST(RandomTest, NumbersAreBelowTwoToThe32AndRepeatWithTheirSeed) {
  const Dataset dataset = Dataset::random({.seed = 4}).take(100);
  const std::vector<int64_t> first = values(dataset);
  EXPECT_EQ(std::set<int64_t>(first.begin(), first.end()).size(), 100u);
  for (int64_t value : first) {
    EXPECT_GE(value, 0);
    EXPECT_LT(value, int64_t{1} << 32);
  }
  EXPECT_EQ(values(dataset), first);
  EXPECT_EQ(values(Dataset::random({.seed = 4}).take(100)), first);
  EXPECT_NE(values(Dataset::random({.seed = 5}).take(100)), first);
  EXPECT_EQ(Dataset::random().cardinality(), INFINITE_CARDINALITY);
}

TEST(RandomTest, EachPassCanHaveOthers) {
  const Dataset dataset =
      Dataset::random({.seed = 4, .rerandomize_each_iteration = true}).take(5);
  const std::vector<int64_t> first = values(dataset);
  EXPECT_NE(values(dataset), first);
  EXPECT_EQ(values(Dataset::random({.seed = 4}).take(5)), first);
}

TEST(RandomTest, WithoutASeedFollowsTheProgramsSeed) {
  set_random_seed(11);
  const std::vector<int64_t> first = values(Dataset::random().take(5));
  EXPECT_NE(values(Dataset::random().take(5)), first);
  set_random_seed(11);
  EXPECT_EQ(values(Dataset::random().take(5)), first);
}

// The state has the key: a pass goes on with the numbers that it began with.
TEST(RandomTest, Resumes) {
  EXPECT_EQ(resume_failure([] { return Dataset::random(); }), "");
}

}  // namespace
}  // namespace systolic::data
