#include "systolic/array/axes.h"

#include <gtest/gtest.h>

#include <string>

#include "systolic/base/error.h"

namespace systolic {
namespace {

std::vector<int> listed(const Axes& axes) {
  return std::vector<int>(axes.begin(), axes.end());
}

TEST(AxesTest, ComeFromAnIntAListOrNothing) {
  EXPECT_FALSE(Axes().is_set());
  EXPECT_EQ(listed(Axes(-1)), std::vector<int>{-1});
  ReduceOptions options{.axis = {0, 2}};
  EXPECT_EQ(listed(options.axis), (std::vector<int>{0, 2}));
  ReduceOptions unset{.axis = {}};
  EXPECT_FALSE(unset.axis.is_set());
  Axes none(std::vector<int>{});
  EXPECT_TRUE(none.is_set());
  EXPECT_EQ(none.size(), 0);
  EXPECT_NE(none, Axes());
  EXPECT_TRUE(options.axis.contains(2));
  EXPECT_FALSE(options.axis.contains(1));
}

TEST(AxesTest, ResolveCountsFromTheEndAndSorts) {
  EXPECT_EQ(listed(Axes({-1, 0}).resolve(3, "sum")), (std::vector<int>{0, 2}));
  EXPECT_EQ(listed(Axes({-1, 0}).resolve_in_order(3, "transpose")),
            (std::vector<int>{2, 0}));
  EXPECT_EQ(listed(Axes().resolve(2, "sum")), (std::vector<int>{0, 1}));
  EXPECT_EQ(listed(Axes(std::vector<int>{}).resolve(2, "sum")),
            std::vector<int>{});
}

TEST(AxesTest, Prints) {
  EXPECT_EQ(Axes().to_string(), "None");
  EXPECT_EQ(Axes(-1).to_string(), "-1");
  EXPECT_EQ((Axes{0, 1}).to_string(), "(0, 1)");
}

TEST(AxesTest, Errors) {
  try {
    Axes(2).resolve(2, "sum");
    FAIL() << "nothing was thrown";
  } catch (const OutOfRangeError& e) {
    EXPECT_STREQ(e.what(),
                 "sum: expected an axis from -2 to 1 for an input of rank 2, "
                 "got axis = 2");
  }
  try {
    resolve_axis(0, 0, "argmax");
    FAIL() << "nothing was thrown";
  } catch (const OutOfRangeError& e) {
    EXPECT_STREQ(e.what(),
                 "argmax: expected an input with axes, for axis = 0, got a "
                 "scalar");
  }
  try {
    (Axes{1, -1}).resolve(2, "mean");
    FAIL() << "nothing was thrown";
  } catch (const ValueError& e) {
    EXPECT_STREQ(e.what(), "mean: expected each axis once, got axis = (1, -1)");
  }
  EXPECT_THROW(Axes(std::vector<int>(13, 0)), ValueError);
}

TEST(AxesTest, ReducedShape) {
  Shape shape{2, 3, 4};
  EXPECT_EQ(reduced_shape(shape, {}, "sum"), Shape::scalar());
  EXPECT_EQ(reduced_shape(shape, {.axis = 1}, "sum"), (Shape{2, 4}));
  EXPECT_EQ(reduced_shape(shape, {.axis = {0, -1}}, "sum"), (Shape{3}));
  EXPECT_EQ(reduced_shape(shape, {.axis = {0, -1}, .keepdims = true}, "sum"),
            (Shape{1, 3, 1}));
}

}  // namespace
}  // namespace systolic
