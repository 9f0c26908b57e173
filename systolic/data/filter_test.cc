#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

TEST(FilterTest, KeepsWhatThePredicateLikes) {
  const Dataset even =
      Dataset::range(7).filter([](int64_t x) { return x % 2 == 0; });
  EXPECT_EQ(values(even), (std::vector<int64_t>{0, 2, 4, 6}));
  EXPECT_EQ(even.cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(
      Dataset::range(0).filter([](int64_t) { return true; }).cardinality(), 0);
}

TEST(FilterTest, ErrorsNameTheElement) {
  const Dataset dataset = Dataset::range(7).filter(
      [](int64_t x) {
        if (x == 5) throw ValueError("five");
        return false;
      },
      "odd");
  Iterator it = dataset.iterator();
  EXPECT_EQ(text_of<ValueError>([&] { it.next(); }),
            "filter \"odd\" (element 5): five");
  EXPECT_EQ(text_of<TypeError>(
                [&] { dataset.filter([](Array, Array) { return true; }); }),
            "filter: expected a function of 1 parameter, got one of 2\n"
            "  element: int64[]\n"
            "  hint: an element that is an Array is one parameter");
}

TEST(FilterTest, AnEndlessSearchEndsWithItsReader) {
  const Dataset few = Dataset::range(8).concatenate(
      Dataset::range(3).repeat().filter([](int64_t x) { return x > 5; }));
  const std::vector<Dataset> readers = {
      few.prefetch(2), few.batch(4, {.num_parallel_calls = 2}).prefetch(1),
      few.map([](int64_t x) { return x; }, {.num_parallel_calls = 3}),
      few.shuffle(2).batch(2).prefetch(AUTOTUNE)};
  for (const Dataset& reader : readers) {
    Iterator it = reader.iterator();
    it.next();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(FilterTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) {
                  return input.filter([](int64_t x) { return x % 3 != 0; });
                },
                {.length = 26}),
            "");
}

}  // namespace
}  // namespace systolic::data
