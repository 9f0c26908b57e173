#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

Dataset sums(const Dataset& input) {
  return input.scan(int64_t{100}, [](int64_t sum, int64_t x) {
    return std::pair(sum + x, sum);
  });
}

TEST(ScanTest, GivesWhatTheFunctionReturnsBesideTheState) {
  EXPECT_EQ(text(sums(Dataset::range(5))), "100 100 101 103 106");
  EXPECT_EQ(sums(Dataset::range(5)).cardinality(), 5);
  EXPECT_EQ(sums(Dataset::range(5)).element_spec().to_string(), "int64[]");
  const Dataset pairs = Dataset::range(3).enumerate(7).scan(
      0.f, [](float state, std::pair<int64_t, int64_t> element) {
        return std::pair(state + 1.f, element.first * 10 + element.second);
      });
  EXPECT_EQ(text(pairs), "70 81 92");
}

TEST(ScanTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(sums, {.length = 40}), "");
  EXPECT_EQ(resume_failure([] { return sums(Dataset::range(20)); }), "");
}

TEST(ScanTest, MistakesAreNamed) {
  const Dataset single = Dataset::range(3).scan(
      1, [](int state, int64_t) { return Element(state); });
  EXPECT_EQ(text_of<TypeError>([&] { single.iterator().next(); }),
            "scan: expected the function to return a pair: the new state, the "
            "output, got int32[]");
  EXPECT_EQ(text_of<TypeError>([] {
              Dataset::range(3).scan(1, [](int state) { return state; });
            }),
            "scan: expected a function of 2 parameters, got one of 1\n"
            "  element: (int32[], int64[])\n"
            "  hint: each item of a tuple is a parameter of its own");
}

TEST(ReduceTest, ReadsEverything) {
  const Dataset range = Dataset::range(5);
  EXPECT_EQ(range.reduce(int64_t{0}, std::plus<int64_t>()), 10);
  EXPECT_EQ(Dataset::range(0).reduce(7, [](int, int64_t) { return 0; }), 7);
  const auto [count, sum] = range.reduce(
      std::pair(0, 0.), [](std::pair<int, double> state, int64_t x) {
        return std::pair(state.first + 1, state.second + double(x));
      });
  EXPECT_EQ(count, 5);
  EXPECT_EQ(sum, 10.);
}

TEST(ReduceTest, AnExceptionNamesTheElement) {
  EXPECT_EQ(text_of<ValueError>([] {
              Dataset::range(3).reduce(0, [](int, int64_t x) -> int {
                if (x == 1) throw ValueError("one");
                return 0;
              });
            }),
            "reduce (element 1): one");
}

TEST(ApplyTest, ChainsFunctionsOverDataSets) {
  const auto evens = [](const Dataset& dataset) {
    return dataset.filter([](int64_t x) { return x % 2 == 0; });
  };
  EXPECT_EQ(text(Dataset::range(5).apply(evens)), "0 2 4");
  EXPECT_EQ(Dataset::range(5).apply(
                [](const Dataset& dataset) { return dataset.cardinality(); }),
            5);
}

}  // namespace
}  // namespace systolic::data
