#include "systolic/ops/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace systolic::internal::ops {
namespace {

TEST(Catalog, HasEveryFamily) {
  const auto all = catalog();
  for (const auto family :
       {graph::intrinsics_catalog(), math_catalog(), unary_catalog(),
        reductions_catalog(), manipulation_catalog(), slicing_catalog(),
        linear_catalog(), conv_catalog(), pooling_catalog(), nn_catalog(),
        random_catalog(), collective_catalog(), control_flow_catalog()}) {
    EXPECT_FALSE(family.empty());
    for (const graph::OpDef* op : family) {
      EXPECT_EQ(std::count(all.begin(), all.end(), op), 1) << op->name;
    }
  }
}

// Names are how messages and the reference speak of ops.
TEST(Catalog, NamesAreTheUsersAndUnique) {
  std::set<std::string_view> names;
  for (const graph::OpDef* op : catalog()) {
    EXPECT_TRUE(names.insert(op->name).second) << op->name;
    EXPECT_EQ(
        op->name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"),
        std::string_view::npos)
        << op->name;
  }
}

TEST(Catalog, EveryOpHasAGradientOrSaysWhyNot) {
  for (const graph::OpDef* op : catalog()) {
    EXPECT_NE(op->vjp == nullptr, op->not_differentiable.empty()) << op->name;
  }
}

}  // namespace
}  // namespace systolic::internal::ops
