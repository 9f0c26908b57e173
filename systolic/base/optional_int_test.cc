#include "systolic/base/optional_int.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace systolic {
namespace {

struct Options {
  OptionalInt batch_size = {};
};

TEST(OptionalInt, IsUnsetOrAWholeNumber) {
  EXPECT_FALSE(Options().batch_size.has_value());
  EXPECT_FALSE(Options{.batch_size = std::nullopt}.batch_size.has_value());
  EXPECT_EQ(Options{.batch_size = 64}.batch_size, 64);
  EXPECT_EQ(Options{.batch_size = size_t{7}}.batch_size.value_or(1), 7);
  EXPECT_EQ(Options{.batch_size = std::optional<int64_t>(3)}.batch_size, 3);
}

TEST(OptionalInt, IsNotMadeFromWhatWouldBeCut) {
  static_assert(std::is_convertible_v<int, OptionalInt>);
  static_assert(!std::is_constructible_v<OptionalInt, double>);
  static_assert(!std::is_constructible_v<OptionalInt, float>);
  static_assert(!std::is_constructible_v<OptionalInt, bool>);
  static_assert(!std::is_constructible_v<OptionalInt, std::optional<double>>);
  SUCCEED();
}

}  // namespace
}  // namespace systolic
