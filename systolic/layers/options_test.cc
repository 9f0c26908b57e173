#include "systolic/layers/options.h"

#include <gtest/gtest.h>

namespace systolic::layers {
namespace {

Extent2D take(Extent2D extent) { return extent; }

TEST(Extent2D, IsOneNumberOrTwo) {
  EXPECT_EQ(take(3).to_string(), "(3, 3)");
  EXPECT_EQ(take({2, 5}).to_string(), "(2, 5)");
  EXPECT_EQ(take(size_t{4}), Extent2D(4, 4));
  EXPECT_FALSE(Extent2D().is_set());
  EXPECT_EQ(take({2, 5}).height(), 2);
  EXPECT_EQ(take({2, 5}).width(), 5);
}

TEST(Options, PaddingAndDataFormatHaveKerasNames) {
  EXPECT_EQ(Choice<Padding>("same"), Padding::same);
  EXPECT_EQ(Choice<Padding>(Padding::valid).name(), "valid");
  EXPECT_EQ(Choice<DataFormat>("channels_first"), DataFormat::channels_first);
  EXPECT_THROW(Choice<Padding>("causal"), ValueError);
}

}  // namespace
}  // namespace systolic::layers
