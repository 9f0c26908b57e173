#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

class BatchTest : public ::testing::TestWithParam<int64_t> {
 protected:
  static std::string print(const Dataset& dataset) {
    std::string text;
    for (auto& element : dataset) text += element.to_string();
    return text;
  }
};

INSTANTIATE_TEST_SUITE_P(Threads, BatchTest,
                         ::testing::Values(1, 2, 4, AUTOTUNE));

TEST_P(BatchTest, StacksInOrder) {
  const Dataset range = Dataset::range(7);
  EXPECT_EQ(print(range.batch(3, {.num_parallel_calls = GetParam()})),
            "[0 1 2][3 4 5][6]");
  EXPECT_EQ(print(range.batch(
                3, {.drop_remainder = true, .num_parallel_calls = GetParam()})),
            "[0 1 2][3 4 5]");
  EXPECT_EQ(print(range.batch(9, {.num_parallel_calls = GetParam()})),
            "[0 1 2 3 4 5 6]");
  EXPECT_EQ(print(range.batch(7, {.num_parallel_calls = GetParam()})),
            "[0 1 2 3 4 5 6]");
  EXPECT_EQ(print(Dataset::range(4).batch(2).batch(
                2, {.num_parallel_calls = GetParam()})),
            "[[0 1]\n [2 3]]");
}

TEST_P(BatchTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) {
                  return input.batch(7, {.num_parallel_calls = GetParam()});
                },
                {.length = 6}),
            "");
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) {
                  return input.batch(7, {.drop_remainder = true,
                                         .num_parallel_calls = GetParam()});
                },
                {.length = 5}),
            "");
}

TEST_P(BatchTest, AnErrorAboveTakesItsBatchAlong) {
  const Dataset dataset = Dataset::range(9)
                              .map([](int64_t x) {
                                if (x == 4) throw ValueError("four");
                                return x;
                              })
                              .batch(3, {.num_parallel_calls = GetParam()});
  Iterator it = dataset.iterator();
  EXPECT_EQ(it.next().to_string(), "[0 1 2]");
  EXPECT_EQ(text_of<ValueError>([&] { it.next(); }), "map (element 4): four");
  EXPECT_EQ(it.next().to_string(), "[5 6 7]");
  EXPECT_EQ(it.next().to_string(), "[8]");
}

TEST(BatchSpecTest, FirstAxisIsKnownWhenNoBatchIsShort) {
  const auto spec = [](const Dataset& d) {
    return d.element_spec().to_string();
  };
  const Dataset range = Dataset::range(6);
  EXPECT_EQ(spec(range.batch(3)), "int64[3]");
  EXPECT_EQ(spec(range.batch(4)), "int64[None]");
  EXPECT_EQ(spec(range.batch(4, {.drop_remainder = true})), "int64[4]");
  EXPECT_EQ(spec(range.repeat().batch(4)), "int64[4]");
  EXPECT_EQ(range.repeat().batch(4).cardinality(), INFINITE_CARDINALITY);
  EXPECT_EQ(range.batch(4).cardinality(), 2);
}

TEST(BatchMemoryTest, AHugeBatchSizeTakesOnlyWhatThereIs) {
  const Dataset dataset = Dataset::range(5)
                              .map([](int64_t x) { return x; })
                              .batch(int64_t{1} << 50);
  EXPECT_EQ(dataset.iterator().next().size(), 1u);
  EXPECT_EQ(dataset.iterator().next().array().size(), 5);
}

TEST(BatchMistakesTest, AreNamed) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset::range(3).batch(0); }),
            "batch: expected batch_size >= 1, got 0");
  const Dataset ragged = Dataset::range(1, 4)
                             .map([](int64_t x) { return Array::zeros({x}); })
                             .batch(2, {.name = "pairs"});
  EXPECT_EQ(text_of<ShapeError>([&] { ragged.iterator().next(); }),
            "batch \"pairs\": elements of one batch need equal shapes\n"
            "  element 0 of the batch: float32[1]\n"
            "  element 1 of the batch: float32[2]\n"
            "  hint: resize or pad them in map()");
}

}  // namespace
}  // namespace systolic::data
