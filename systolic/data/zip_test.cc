#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

TEST(ZipTest, IsAsLongAsTheShortest) {
  const Dataset dataset = Dataset::zip(
      Dataset::range(3), Dataset::range(10, 20), Dataset::range(1).repeat());
  EXPECT_EQ(dataset.cardinality(), 3);
  std::string text;
  for (auto& element : dataset) text += element.to_string();
  EXPECT_EQ(text, "(0, 10, 0)(1, 11, 0)(2, 12, 0)");
  EXPECT_EQ(dataset.element_spec().to_string(), "(int64[], int64[], int64[])");
}

TEST(ZipTest, AnErrorInOneKeepsTheOthersInStep) {
  const Dataset failing = Dataset::range(3).map([](int64_t x) {
    if (x == 1) throw ValueError("one");
    return x;
  });
  Iterator it = Dataset::zip(failing, Dataset::range(3)).iterator();
  it.next();
  EXPECT_THROW(it.next(), ValueError);
  EXPECT_EQ(it.next().to_string(), "(2, 2)");
}

TEST(ZipTest, RefusesNothing) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset::zip({}); }),
            "zip: expected at least one data set, got none");
}

TEST(ZipTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) {
                  return Dataset::zip(input.prefetch(2), Dataset::range(35));
                },
                {.length = 35}),
            "");
}

}  // namespace
}  // namespace systolic::data
