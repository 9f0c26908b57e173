#include "systolic/ops/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace systolic::internal::ops {
namespace {

TEST(Catalog, HasEveryFamily) {
  const auto all = catalog();
  std::set<std::string_view> names;
  for (const Family& family : families()) {
    EXPECT_FALSE(family.ops.empty()) << family.name;
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    for (const graph::OpDef* op : family.ops) {
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
