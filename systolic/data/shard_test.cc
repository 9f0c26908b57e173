#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

TEST(ShardTest, EachElementIsInOneShard) {
  EXPECT_EQ(text(Dataset::range(10).shard(3, 0)), "0 3 6 9");
  EXPECT_EQ(text(Dataset::range(10).shard(3, 1)), "1 4 7");
  EXPECT_EQ(text(Dataset::range(10).shard(3, 2)), "2 5 8");
  EXPECT_EQ(text(Dataset::range(2).shard(3, 2)), "");
  EXPECT_EQ(text(Dataset::range(3).shard(1, 0)), "0 1 2");
  EXPECT_EQ(Dataset::range(10).shard(3, 0).cardinality(), 4);
  EXPECT_EQ(Dataset::range(10).shard(3, 2).cardinality(), 3);
}

TEST(ShardTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) { return input.shard(4, 1); },
                {.length = 10}),
            "");
  EXPECT_EQ(resume_failure([] { return Dataset::range(20).shard(3, 1); }), "");
}

TEST(ShardTest, MistakesAreNamed) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset::range(3).shard(0, 0); }),
            "shard: expected num_shards >= 1, got 0");
  EXPECT_EQ(text_of<ValueError>([] { Dataset::range(3).shard(3, 3); }),
            "shard: expected an index from 0 to 2, got 3");
}

}  // namespace
}  // namespace systolic::data
