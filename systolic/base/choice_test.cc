#include "systolic/base/choice.h"

#include <gtest/gtest.h>

namespace systolic {

enum class Side { left, right };

template <>
struct ChoiceNames<Side> {
  static constexpr std::string_view what = "side";
  static constexpr std::array<std::pair<std::string_view, Side>, 2> names{
      {{"left", Side::left}, {"right", Side::right}}};
};

namespace {

Side take(Choice<Side> side) { return side; }

TEST(Choice, TakesValueOrName) {
  EXPECT_EQ(take(Side::right), Side::right);
  EXPECT_EQ(take("left"), Side::left);
  EXPECT_EQ(take(std::string("right")), Side::right);
  EXPECT_EQ(Choice<Side>(Side::right).name(), "right");
}

TEST(Choice, AnUnknownNameListsTheNamesAndTheNearest) {
  try {
    take("rigt");
    FAIL() << "no exception";
  } catch (const ValueError& e) {
    const std::string text = e.what();
    EXPECT_TRUE(
        text.starts_with("side: expected 'left' or 'right', got "
                         "'rigt'\n  hint: did you mean 'right'?"))
        << text;
    EXPECT_NE(text.find("choice_test.cc:"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace systolic
