#include "systolic/base/out.h"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

namespace systolic {
namespace {

TEST(OutTest, TheDefaultIsCout) { EXPECT_EQ(&output(), &std::cout); }

TEST(OutTest, AGuardRedirectsAndRestores) {
  std::ostringstream outer;
  std::ostringstream inner;
  {
    OutputGuard first(outer);
    output() << "a";
    {
      OutputGuard second(inner);
      output() << "b";
    }
    output() << "c";
  }
  EXPECT_EQ(outer.str(), "ac");
  EXPECT_EQ(inner.str(), "b");
  EXPECT_EQ(&output(), &std::cout);
}

}  // namespace
}  // namespace systolic
