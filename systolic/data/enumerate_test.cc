#include <gtest/gtest.h>

#include "systolic/data/dataset.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

TEST(EnumerateTest, CountsFromTheStart) {
  const Dataset dataset = Dataset::range(5, 8).enumerate(10);
  int64_t next = 10;
  for (auto [index, value] : dataset.as<int64_t, int64_t>()) {
    EXPECT_EQ(index, next++);
    EXPECT_EQ(value, index - 5);
  }
  EXPECT_EQ(next, 13);
  EXPECT_EQ(dataset.element_spec().to_string(), "(int64[], int64[])");
}

TEST(EnumerateTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) { return input.enumerate(); },
                {.length = 40}),
            "");
}

}  // namespace
}  // namespace systolic::data
