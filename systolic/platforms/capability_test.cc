#include "systolic/platforms/capability.h"

#include <gtest/gtest.h>

#include <set>

namespace systolic::internal::platforms {
namespace {

TEST(Capability, EachHasAName) {
  std::set<std::string_view> names;
  constexpr int kCount = static_cast<int>(Capability::fused_products) + 1;
  for (int i = 0; i < kCount; ++i) {
    names.insert(name(static_cast<Capability>(i)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(kCount));
  EXPECT_FALSE(names.contains("unknown"));
}

}  // namespace
}  // namespace systolic::internal::platforms
