#include <gtest/gtest.h>

#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data {
namespace {

TEST(FromTensorsTest, IsOneElement) {
  const Dataset dataset =
      Dataset::from_tensors(std::pair(Array::from({1, 2}), 3.5f));
  EXPECT_EQ(text(dataset), "([1 2], 3.5)");
  EXPECT_EQ(dataset.cardinality(), 1);
  EXPECT_EQ(dataset.element_spec().to_string(), "(int32[2], float32[])");
  EXPECT_EQ(resume_failure([] { return Dataset::from_tensors(4).repeat(3); }),
            "");
}

}  // namespace
}  // namespace systolic::data
