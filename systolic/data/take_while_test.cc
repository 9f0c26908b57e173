#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

Dataset below(const Dataset& input, int64_t limit) {
  return input.take_while([limit](int64_t x) { return x < limit; });
}

TEST(TakeWhileTest, EndsAtTheFirstThatIsRefused) {
  const Dataset zigzag = Dataset::range(3).concatenate(Dataset::range(9));
  EXPECT_EQ(values(below(zigzag, 2)), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(below(zigzag, 2).cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(below(zigzag, 0).element_spec().to_string(), "int64[]");
}

TEST(TakeWhileTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) { return below(input, 30); },
                {.length = 30}),
            "");
  EXPECT_EQ(resume_failure([] { return below(Dataset::range(20), 12); }), "");
}

TEST(TakeWhileTest, AnExceptionNamesTheElement) {
  const Dataset dataset = Dataset::range(3).take_while([](int64_t x) {
    if (x == 1) throw ValueError("one");
    return true;
  });
  Iterator it = dataset.iterator();
  it.next();
  EXPECT_EQ(text_of<ValueError>([&] { it.next(); }),
            "take_while (element 1): one");
  EXPECT_EQ(it.next().to<int64_t>(), 2);
}

}  // namespace
}  // namespace systolic::data
