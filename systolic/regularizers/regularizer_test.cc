#include "systolic/regularizers/regularizer.h"

#include <gtest/gtest.h>

#include <limits>

namespace systolic::regularizers {
namespace {

TEST(Regularizer, IsUnsetNamedOrAFunction) {
  EXPECT_FALSE(Regularizer().is_set());
  EXPECT_EQ(Regularizer("l2").class_name(), "L2");
  EXPECT_EQ(Regularizer("L1").class_name(), "L1");
  EXPECT_EQ(get(std::string("l1_l2")).class_name(), "L1L2");
  EXPECT_EQ(L1L2({.l1 = 1}).class_name(), "L1L2");
  const Regularizer own = [](const Tensor& x) { return x; };
  EXPECT_EQ(own.class_name(), "function");
}

TEST(Regularizer, AnUnknownNameListsTheNames) {
  try {
    const Regularizer wrong = "l3";
    FAIL() << "no exception";
  } catch (const ValueError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "regularizer: expected 'l1', 'l2' or 'l1l2', got 'l3'\n"))
        << e.what();
  }
}

TEST(Regularizer, FactorsAreFinite) {
  try {
    L2(std::numeric_limits<double>::quiet_NaN());
    FAIL() << "no exception";
  } catch (const ValueError& e) {
    EXPECT_STREQ(e.what(), "Regularizer L2: expected a finite l2, got nan");
  }
}

}  // namespace
}  // namespace systolic::regularizers
