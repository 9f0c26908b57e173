#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

TEST(UnbatchTest, GivesTheRows) {
  const Dataset batches = Dataset::range(7).enumerate(10).batch(3);
  EXPECT_EQ(text(batches.unbatch().take(2)), "(10, 0) (11, 1)");
  EXPECT_EQ(batches.unbatch().element_spec().to_string(), "(int64[], int64[])");
  EXPECT_EQ(text(batches.unbatch()), text(Dataset::range(7).enumerate(10)));
  EXPECT_EQ(batches.unbatch().cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(Dataset::range(6).batch(3).unbatch().cardinality(), 6);
  const Dataset empty = Dataset::range(3).map(
      [](int64_t x) { return Array::full({x % 2}, 5., DType::int32); });
  EXPECT_EQ(text(empty.unbatch()), "5");
}

TEST(UnbatchTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) { return input.batch(7).unbatch(); },
                {.passes_errors = false}),
            "");
}

TEST(UnbatchTest, MistakesAreNamed) {
  EXPECT_EQ(text_of<ValueError>(
                [] { Dataset::range(3).unbatch().iterator().next(); }),
            "unbatch: expected Arrays with a first axis to slice along, got a "
            "scalar\n  tensors: int64[]");
}

TEST(RebatchTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) { return input.batch(7).rebatch(3); },
                {.length = 14, .passes_errors = false}),
            "");
}

TEST(RebatchTest, AnExceptionLosesItsBatchOnly) {
  const Dataset dataset = Dataset::range(9)
                              .batch(3)
                              .map([](Array batch) {
                                if (batch[0].item<int>() == 3) {
                                  throw ValueError("three");
                                }
                                return batch;
                              })
                              .rebatch(4);
  Iterator it = dataset.iterator();
  EXPECT_EQ(text_of<ValueError>([&] { it.next(); }), "map (element 1): three");
  EXPECT_EQ(it.next().to_string(), "[0 1 2 6]");
  EXPECT_EQ(it.next().to_string(), "[7 8]");
}

TEST(RebatchTest, MistakesAreNamed) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset::range(3).batch(2).rebatch(0); }),
            "rebatch: expected batch sizes >= 1, got [0]");
}

}  // namespace
}  // namespace systolic::data
