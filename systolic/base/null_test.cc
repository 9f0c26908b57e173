#include "systolic/base/null.h"

#include <gtest/gtest.h>

#include "systolic/testing/error_text.h"

namespace systolic::internal {
namespace {

int twice(int x) { return 2 * x; }

TEST(Null, NamesAreTakenAsTheyAre) {
  EXPECT_EQ(name_text("relu", "activation"), "relu");
  EXPECT_EQ(name_text("", "activation"), "");
}

TEST(Null, NullNameIsRefused) {
  EXPECT_EQ(text_of<ValueError>([] { name_text(nullptr, "activation"); }),
            "activation: expected a name, got a null pointer\n"
            "  hint: leave it out for the default");
}

TEST(Null, FunctionsAreLetThrough) {
  require_function([](int x) { return x; }, "map");
  require_function(std::function<int(int)>(twice), "map");
  require_function(&twice, "map");
}

TEST(Null, EmptyFunctionsAreRefused) {
  const std::string text =
      "map: expected a function, got an empty one (a null pointer or "
      "std::function())";
  EXPECT_EQ(text_of<ValueError>(
                [] { require_function(std::function<int(int)>(), "map"); }),
            text);
  int (*none)(int) = nullptr;
  EXPECT_EQ(text_of<ValueError>([&] { require_function(none, "map"); }), text);
}

}  // namespace
}  // namespace systolic::internal
