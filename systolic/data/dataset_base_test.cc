#include "systolic/data/dataset_base.h"

#include <gtest/gtest.h>

#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

class Same final : public TransformBase {
 public:
  using TransformBase::TransformBase;
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return input().make_iterator(context);
  }
};

TEST(TransformBaseTest, IsLikeItsInputAndHasAName) {
  const Dataset range = Dataset::range(5);
  const Same plain(range.node(), "same");
  EXPECT_EQ(plain.name(), "same");
  EXPECT_EQ(plain.cardinality(), 5);
  EXPECT_EQ(plain.element_spec(), range.element_spec());
  EXPECT_EQ(plain.structure(), range.element_spec());
  EXPECT_FALSE(plain.reshuffles());
  EXPECT_EQ(Same(range.node(), "same", "mine").name(), "same \"mine\"");
}

}  // namespace
}  // namespace systolic::data
