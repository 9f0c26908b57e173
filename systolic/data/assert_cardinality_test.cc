#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

Dataset some(int64_t count) {
  return Dataset::range(count).filter([](int64_t) { return true; });
}

TEST(AssertCardinalityTest, SaysAndHoldsTheLength) {
  EXPECT_EQ(some(3).assert_cardinality(3).cardinality(), 3);
  EXPECT_EQ(text(some(3).assert_cardinality(3)), "0 1 2");
  EXPECT_EQ(text_of<DataError>([] { text(some(3).assert_cardinality(4)); }),
            "assert_cardinality: expected 4 elements, got 3");
  EXPECT_EQ(text_of<DataError>([] { text(some(3).assert_cardinality(2)); }),
            "assert_cardinality: expected 2 elements, got at least 3");
  EXPECT_EQ(text_of<DataError>(
                [] { text(some(3).assert_cardinality(INFINITE_CARDINALITY)); }),
            "assert_cardinality: expected elements without end, got 3");
  EXPECT_EQ(text_of<ValueError>([] { some(3).assert_cardinality(-2); }),
            "assert_cardinality: expected a cardinality >= 0 or "
            "INFINITE_CARDINALITY, got -2");
}

TEST(AssertCardinalityTest, Contract) {
  EXPECT_EQ(
      testing::dataset_contract(
          [](const Dataset& input) { return input.assert_cardinality(40); },
          {.length = 40, .passes_errors = false}),
      "");
  EXPECT_EQ(resume_failure([] { return some(9).assert_cardinality(9); }), "");
}

TEST(GetSingleElementTest, IsTheOnlyOne) {
  EXPECT_EQ(Dataset::range(5, 6).get_single_element().to<int>(), 5);
  EXPECT_EQ(text_of<ValueError>([] { some(0).get_single_element(); }),
            "get_single_element: expected a data set of one element, got an "
            "empty one\n  data set: filter\n  hint: look at its source");
  EXPECT_EQ(text_of<ValueError>([] { some(2).get_single_element(); }),
            "get_single_element: expected a data set of one element, got one "
            "of more\n  data set: filter\n  hint: batch() or take(1) it");
}

}  // namespace
}  // namespace systolic::data
