#include "systolic/base/positive_seconds.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic::internal {
namespace {

TEST(PositiveSecondsTest, AreAFiniteNumberAboveNull) {
  EXPECT_EQ(positive_seconds("A", "1.5"), 1.5);
  EXPECT_EQ(positive_seconds("A", "1e3"), 1000);
  for (const char* text : {"", "soon", "0", "-1", "inf", "nan", "1s"}) {
    EXPECT_EQ(text_of<ValueError>([&] { positive_seconds("A", text); }),
              std::string("A: expected a number of seconds above 0, got \"") +
                  text + "\"");
  }
  EXPECT_EQ(
      text_of<ValueError>([] { positive_seconds("A", "x", ", or \"off\""); }),
      "A: expected a number of seconds above 0, or \"off\", got \"x\"");
}

}  // namespace
}  // namespace systolic::internal
