#include <gtest/gtest.h>

#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

TEST(UniqueTest, KeepsTheFirstOfEach) {
  const Dataset modulo =
      Dataset::range(9).map([](int64_t x) { return x * x % 7; });
  EXPECT_EQ(text(modulo.unique()), "0 1 4 2");
  const Dataset texts =
      Dataset::from_tensor_slices(Array::from_strings({"a", "", "a", "b", ""}));
  EXPECT_EQ(text(texts.unique()), "b'a' b'' b'b'");
  const Dataset pairs =
      modulo.map([](int64_t x) { return std::pair(x % 2, x); });
  EXPECT_EQ(text(pairs.unique()), "(0, 0) (1, 1) (0, 4) (0, 2)");
}

TEST(UniqueTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) {
                  return input.concatenate(input).unique();
                },
                {.length = 40, .passes_errors = false}),
            "");
  EXPECT_EQ(resume_failure([] {
              return Dataset::range(30)
                  .map([](int64_t x) { return x * x % 11; })
                  .unique();
            }),
            "");
}

}  // namespace
}  // namespace systolic::data
