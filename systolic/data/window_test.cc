#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

TEST(WindowTest, ElementsAreDataSets) {
  std::string all;
  const Dataset windows = Dataset::range(7).window(3);
  for (const Dataset& window : windows.as<Dataset>())
    all += text(window) + "; ";
  EXPECT_EQ(all, "0 1 2; 3 4 5; 6; ");
  EXPECT_EQ(windows.element_spec().to_string(), "Dataset(int64[])");
  EXPECT_EQ(windows.cardinality(), 3);
}

TEST(WindowTest, ATupleGivesDataSetsOfItsItemsOrOne) {
  const Dataset windows = Dataset::range(4).enumerate(10).window(2);
  EXPECT_EQ(windows.element_spec().to_string(),
            "(Dataset(int64[]), Dataset(int64[]))");
  EXPECT_EQ(text(windows.flat_map([](Dataset index, Dataset value) {
              return Dataset::zip(index.batch(2), value.batch(2));
            })),
            "([10 11], [0 1]) ([12 13], [2 3])");
  EXPECT_EQ(text(windows.flat_map([](Dataset both) { return both.batch(2); })),
            "([10 11], [0 1]) ([12 13], [2 3])");
}

TEST(WindowTest, Contract) {
  const auto transform = [](const Dataset& input) {
    return input.window(5, {.shift = 2, .drop_remainder = true})
        .flat_map([](Dataset window) { return window.batch(5); });
  };
  EXPECT_EQ(testing::dataset_contract(transform, {.length = 18}), "");
}

TEST(WindowTest, AreSavedInBuffers) {
  EXPECT_EQ(resume_failure([] {
              return Dataset::range(40)
                  .window(3)
                  .shuffle(4, {.seed = 1})
                  .flat_map([](Dataset window) { return window.batch(2); });
            }),
            "");
}

TEST(WindowTest, DataSetsAreNoBatch) {
  EXPECT_THROW(text(Dataset::range(8).window(2).padded_batch(2)), TypeError);
}

TEST(WindowTest, ElementsOfAnotherTreeAreAnError) {
  const Element pair = Element::tuple({Element(1), Element(2)});
  const Element single = Element::tuple({Element(3)});
  const Dataset windows =
      Dataset::range(2)
          .map([=](int64_t x) { return x == 0 ? pair : single; })
          .window(2);
  const Element window = windows.iterator().next();
  EXPECT_EQ(text(Dataset(window.items()[0].dataset())), "1 3");
  EXPECT_THROW(text(Dataset(window.items()[1].dataset())), TypeError);
}

TEST(WindowTest, MistakesAreNamed) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset::range(3).window(0); }),
            "window: expected size >= 1, got 0");
  EXPECT_EQ(
      text_of<ValueError>([] { Dataset::range(3).window(2, {.stride = 0}); }),
      "window: expected stride >= 1, got 0");
  EXPECT_EQ(text_of<TypeError>([] {
              const Dataset sets =
                  Dataset::range(9)
                      .map([](int64_t x) { return Dataset::range(x); })
                      .shuffle(2);
              Iterator it = sets.iterator();
              it.next();
              it.save();
            }),
            "iterator state: an element that is a data set cannot be saved "
            "unless it is a window; got range\n"
            "  kept by: shuffle\n"
            "  hint: flat_map() the data sets before this node");
}

}  // namespace
}  // namespace systolic::data
