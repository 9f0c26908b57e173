#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

using Values = std::vector<int64_t>;

TEST(SkipTest, SkipsTheFirst) {
  EXPECT_EQ(values(Dataset::range(5).skip(2)), (Values{2, 3, 4}));
  EXPECT_EQ(values(Dataset::range(2).skip(5)), Values{});
  EXPECT_EQ(values(Dataset::range(2).skip(0)), (Values{0, 1}));
  EXPECT_EQ(values(Dataset::range(2).skip(-1)), Values{});
  EXPECT_EQ(Dataset::range(5).skip(2).cardinality(), 3);
  EXPECT_EQ(Dataset::range(2).skip(5).cardinality(), 0);
  EXPECT_EQ(Dataset::range(2).skip(-1).cardinality(), 0);
  EXPECT_EQ(Dataset::range(2).repeat().skip(5).cardinality(),
            INFINITE_CARDINALITY);
}

TEST(SkipTest, WarnsBehindAReshufflingShuffle) {
  LogCapture log;
  Dataset::range(3).shuffle(3).skip(1);
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_EQ(log.lines[0],
            "warning: skip: the input is shuffled anew in each pass, so each "
            "pass skips other elements; to split a data set, skip() before "
            "shuffle() or set reshuffle_each_iteration = false");
}

TEST(SkipTest, RefusesOtherNegativeCounts) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset::range(3).skip(-2); }),
            "skip: expected count >= 0, or -1 for all elements, got -2");
}

TEST(SkipTest, Contract) {
  EXPECT_EQ(
      testing::dataset_contract(
          [](const Dataset& input) { return input.skip(3); }, {.length = 37}),
      "");
}

}  // namespace
}  // namespace systolic::data
