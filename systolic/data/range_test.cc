#include <gtest/gtest.h>

#include <limits>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

using Values = std::vector<int64_t>;

TEST(RangeTest, CountsUpAndDown) {
  EXPECT_EQ(values(Dataset::range(3)), (Values{0, 1, 2}));
  EXPECT_EQ(values(Dataset::range(2, 5)), (Values{2, 3, 4}));
  EXPECT_EQ(values(Dataset::range(0, 7, 3)), (Values{0, 3, 6}));
  EXPECT_EQ(values(Dataset::range(5, 0, -2)), (Values{5, 3, 1}));
  EXPECT_EQ(values(Dataset::range(0)), Values{});
  EXPECT_EQ(values(Dataset::range(5, 2)), Values{});
  EXPECT_EQ(Dataset::range(0, 7, 3).cardinality(), 3);
}

TEST(RangeTest, ReachesTheLimits) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(values(Dataset::range(kMax - 1, kMax)), (Values{kMax - 1}));
  EXPECT_EQ(values(Dataset::range(kMin, kMax, kMax)),
            (Values{kMin, -1, kMax - 1}));
  EXPECT_EQ(values(Dataset::range(0, kMin + 1, kMin)), (Values{0}));
}

TEST(RangeTest, RefusesMoreThanCanBeCounted) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(text_of<ValueError>([&] { Dataset::range(kMin, kMax); }),
            "range: expected at most 9223372036854775807 elements, got start "
            "-9223372036854775808, stop 9223372036854775807, step 1\n"
            "  hint: counter(start, step) has no end");
  EXPECT_THROW(Dataset::range(-1, kMax), ValueError);
  EXPECT_EQ(Dataset::range(kMax).cardinality(), kMax);
}

TEST(RangeTest, RefusesAStepOfZero) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset::range(0, 3, 0); }),
            "range: expected a step other than 0, got 0");
}

TEST(RangeTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset&) { return Dataset::range(9); },
                {.length = 9, .passes_errors = false}),
            "");
}

}  // namespace
}  // namespace systolic::data
