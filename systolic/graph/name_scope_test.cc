#include "systolic/graph/name_scope.h"

#include <gtest/gtest.h>

#include <thread>

namespace systolic::internal::graph {
namespace {

const SourceLocation kHere = SourceLocation::current();

TEST(NameScopeTest, SaysNothingUnlessScopesAreNoted) {
  const NameScope scope("dense", kHere);
  EXPECT_EQ(NameScope::current(), 0u);
  EXPECT_EQ(NameScope::of(0).name, "");
}

TEST(NameScopeTest, InnermostIsCurrentAndOnesAlikeShareANumber) {
  const NameScopes noted;
  EXPECT_TRUE(NameScopes::are_noted());
  const NameScope outer("model", kHere);
  const uint32_t number = NameScope::current();
  {
    const NameScope inner("model/dense", kHere);
    EXPECT_NE(NameScope::current(), number);
    EXPECT_EQ(NameScope::of(NameScope::current()).name, "model/dense");
    const NameScope again("model", kHere);
    EXPECT_EQ(NameScope::current(), number);
  }
  EXPECT_EQ(NameScope::current(), number);
  EXPECT_EQ(NameScope::of(number).where.line(), kHere.line());
}

TEST(NameScopeTest, GradientIsSaidOnce) {
  const NameScopes noted;
  const NameScope forward("dense", kHere);
  const NameScope backward(NameScope::current());
  EXPECT_EQ(NameScope::of(NameScope::current()).name, "dense (gradient)");
  const NameScope again(NameScope::current());
  EXPECT_EQ(NameScope::of(NameScope::current()).name, "dense (gradient)");
}

TEST(NameScopeTest, PlaceInTheLibraryGivesWayToTheUsers) {
  const NameScopes noted;
  const NameScope users("model", kHere);
  const NameScope nowhere("dense", SourceLocation());
  EXPECT_EQ(NameScope::of(NameScope::current()).where.line(), kHere.line());
}

TEST(NameScopeTest, ThreadsHaveTheirOwn) {
  const NameScopes noted;
  const NameScope scope("dense", kHere);
  std::thread([] { EXPECT_EQ(NameScope::current(), 0u); }).join();
}

}  // namespace
}  // namespace systolic::internal::graph
