#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

using Values = std::vector<int64_t>;

TEST(TakeTest, TakesTheFirst) {
  EXPECT_EQ(values(Dataset::range(5).take(2)), (Values{0, 1}));
  EXPECT_EQ(values(Dataset::range(2).take(5)), (Values{0, 1}));
  EXPECT_EQ(values(Dataset::range(2).take(-1)), (Values{0, 1}));
  EXPECT_EQ(values(Dataset::range(2).take(0)), Values{});
  EXPECT_EQ(Dataset::range(5).take(2).cardinality(), 2);
  EXPECT_EQ(Dataset::range(5).repeat().take(7).cardinality(), 7);
  EXPECT_EQ(Dataset::range(5).take(-1).cardinality(), 5);
}

TEST(TakeTest, WarnsBehindAReshufflingShuffle) {
  LogCapture log;
  Dataset::range(3).shuffle(3, {.reshuffle_each_iteration = false}).take(1);
  Dataset::range(3).shuffle(3).batch(1).take(1);
  EXPECT_TRUE(log.lines.empty());
  Dataset::range(3).shuffle(3).take(1);
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_EQ(log.lines[0],
            "warning: take: the input is shuffled anew in each pass, so each "
            "pass takes other elements; to split a data set, take() before "
            "shuffle() or set reshuffle_each_iteration = false");
}

TEST(TakeTest, RefusesOtherNegativeCounts) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset::range(3).take(-2); }),
            "take: expected count >= 0, or -1 for all elements, got -2");
}

TEST(TakeTest, Contract) {
  EXPECT_EQ(
      testing::dataset_contract(
          [](const Dataset& input) { return input.take(30); }, {.length = 30}),
      "");
}

}  // namespace
}  // namespace systolic::data
