#include "systolic/base/dim.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace systolic {
namespace {

int64_t value_of(Dim size) { return size; }

TEST(Dim, IsAnyWholeNumber) {
  EXPECT_EQ(value_of(-3), -3);
  EXPECT_EQ(value_of(size_t{7}), 7);
  EXPECT_EQ(value_of(int64_t{1} << 40), int64_t{1} << 40);
  EXPECT_EQ(value_of(uint8_t{200}), 200);
}

TEST(Dim, IsNotMadeFromWhatWouldBeCut) {
  static_assert(std::is_convertible_v<int, Dim>);
  static_assert(!std::is_constructible_v<Dim, double>);
  static_assert(!std::is_constructible_v<Dim, float>);
  static_assert(!std::is_constructible_v<Dim, bool>);
  SUCCEED();
}

}  // namespace
}  // namespace systolic
