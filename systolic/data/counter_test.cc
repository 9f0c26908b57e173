#include <gtest/gtest.h>

#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data {
namespace {

TEST(CounterTest, CountsWithoutEnd) {
  EXPECT_EQ(text(Dataset::counter().take(3)), "0 1 2");
  EXPECT_EQ(text(Dataset::counter(5, -2).take(3)), "5 3 1");
  EXPECT_EQ(Dataset::counter().cardinality(), INFINITE_CARDINALITY);
  EXPECT_EQ(Dataset::counter().element_spec().to_string(), "int64[]");
  EXPECT_EQ(resume_failure([] { return Dataset::counter(1, 3); }), "");
}

}  // namespace
}  // namespace systolic::data
