#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/cardinality.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

using Values = std::vector<int64_t>;

TEST(RepeatTest, RepeatsThePasses) {
  EXPECT_EQ(values(Dataset::range(2).repeat(3)), (Values{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(values(Dataset::range(2).repeat(0)), Values{});
  EXPECT_EQ(values(Dataset::range(0).repeat(3)), Values{});
  EXPECT_EQ(values(Dataset::range(2).repeat().take(5)),
            (Values{0, 1, 0, 1, 0}));
}

TEST(RepeatTest, Cardinality) {
  EXPECT_EQ(Dataset::range(2).repeat(3).cardinality(), 6);
  EXPECT_EQ(Dataset::range(2).repeat().cardinality(), INFINITE_CARDINALITY);
  EXPECT_EQ(Dataset::range(0).repeat().cardinality(), 0);
  EXPECT_EQ(Dataset::range(2).repeat().repeat(2).cardinality(),
            INFINITE_CARDINALITY);
  const Dataset unknown =
      Dataset::range(2).filter([](int64_t) { return true; });
  EXPECT_EQ(unknown.repeat(2).cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(unknown.repeat(0).cardinality(), 0);
}

TEST(RepeatTest, WithoutEndAnEmptyPassIsAnError) {
  const char* const kText =
      "repeat: expected an element in each pass of a repetition without end, "
      "got a pass with none\n"
      "  input: filter\n"
      "  hint: check that the files or Arrays are not empty, that a filter "
      "keeps something, and that drop_remainder leaves a batch";
  const Dataset dataset =
      Dataset::range(20).filter([](int64_t) { return false; }).repeat();
  Iterator it = dataset.iterator();
  EXPECT_EQ(text_of<DataError>([&] { it.next(); }), kText);
  EXPECT_THROW(it.next(), OutOfRangeError) << "it has ended";
  Iterator ahead = dataset.prefetch(2).iterator();
  EXPECT_EQ(text_of<DataError>([&] { ahead.next(); }), kText);
  Iterator batches =
      Dataset::range(3).batch(4, {.drop_remainder = true}).repeat().iterator();
  EXPECT_THROW(batches.next(), DataError);
}

TEST(RepeatTest, RefusesOtherNegativeCounts) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset::range(3).repeat(-2); }),
            "repeat: expected count >= 0, or -1 for no end, got -2");
}

TEST(RepeatTest, Contract) {
  EXPECT_EQ(
      testing::dataset_contract(
          [](const Dataset& input) { return input.repeat(2); }, {.length = 80}),
      "");
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) { return input.repeat(); }),
            "");
}

}  // namespace
}  // namespace systolic::data
