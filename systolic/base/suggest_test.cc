#include "systolic/base/suggest.h"

#include <gtest/gtest.h>

#include <array>

namespace systolic::internal {
namespace {

constexpr std::array<std::string_view, 3> kNames{"sgd", "adam", "rmsprop"};

TEST(SuggestTest, FindsTheNearestName) {
  EXPECT_EQ(closest_name("adm", kNames), "adam");
  EXPECT_EQ(closest_name("Adam", kNames), "adam");
  EXPECT_EQ(closest_name("rms_prop", kNames), "rmsprop");
}

TEST(SuggestTest, FindsNothingWhereNoneIsNear) {
  EXPECT_EQ(closest_name("lbfgs", kNames), "");
  EXPECT_EQ(closest_name("x", {}), "");
}

TEST(SuggestTest, ListsNames) {
  EXPECT_EQ(list_names(kNames), "'sgd', 'adam' or 'rmsprop'");
  EXPECT_EQ(list_names(std::span(kNames).first(1)), "'sgd'");
  EXPECT_EQ(list_names({}), "");
}

}  // namespace
}  // namespace systolic::internal
