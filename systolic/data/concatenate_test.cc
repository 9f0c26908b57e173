#include <gtest/gtest.h>

#include <limits>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

using Values = std::vector<int64_t>;

TEST(ConcatenateTest, ReadsOneBehindTheOther) {
  const Dataset dataset = Dataset::range(2).concatenate(Dataset::range(5, 7));
  EXPECT_EQ(values(dataset), (Values{0, 1, 5, 6}));
  EXPECT_EQ(dataset.cardinality(), 4);
  EXPECT_EQ(Dataset::range(0).concatenate(dataset).cardinality(), 4);
  EXPECT_EQ(dataset.repeat().concatenate(dataset).cardinality(),
            INFINITE_CARDINALITY);
  // As repeat() says of more than can be counted.
  const Dataset longest = Dataset::range(std::numeric_limits<int64_t>::max());
  EXPECT_EQ(longest.concatenate(dataset).cardinality(), INFINITE_CARDINALITY);
}

TEST(ConcatenateTest, SpecKeepsWhatAgrees) {
  const Dataset dataset =
      Dataset::from_tensor_slices(Array::zeros({2, 3}))
          .concatenate(Dataset::from_tensor_slices(Array::zeros({2, 4})));
  EXPECT_EQ(dataset.element_spec().to_string(), "float32[None]");
}

TEST(ConcatenateTest, OtherElementsAreRefused) {
  EXPECT_EQ(text_of<TypeError>([] {
              Dataset::range(2).concatenate(Dataset::range(2).enumerate());
            }),
            "concatenate: expected data sets whose elements have the same "
            "tree, dtypes and ranks, got int64[] and (int64[], int64[])");
}

TEST(ConcatenateTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) {
                  return input.concatenate(Dataset::range(5).prefetch(2));
                },
                {.length = 45}),
            "");
}

}  // namespace
}  // namespace systolic::data
