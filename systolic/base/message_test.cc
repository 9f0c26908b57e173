#include "systolic/base/message.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "systolic/base/test_place.h"

namespace systolic::internal {
namespace {

struct WithText {
  std::string to_string() const { return "float32[32]"; }
};
struct WithStream {};
std::ostream& operator<<(std::ostream& out, const WithStream&) {
  return out << "streamed";
}
enum class Colour { red };
std::string_view name(Colour) { return "red"; }

TEST(MessageTest, HasTheFormOfAllErrors) {
  std::string text =
      Message("Dense \"logits\"")
          .expected("input rank >= ", 2)
          .got("rank ", 1)
          .detail("input", WithText())
          .hint("add a batch axis, for example ", "expand_dims(x, 0)")
          .str();
  EXPECT_EQ(text,
            "Dense \"logits\": expected input rank >= 2, got rank 1\n"
            "  input: float32[32]\n"
            "  hint: add a batch axis, for example expand_dims(x, 0)");
}

TEST(MessageTest, RuleStandsAloneOrBeforeExpected) {
  EXPECT_EQ(Message("take").rule("there is no element left").str(),
            "take: there is no element left");
  EXPECT_EQ(Message("pad").rule("widths are per axis").expected(2).got(3).str(),
            "pad: widths are per axis; expected 2, got 3");
}

TEST(MessageTest, AddsFileAndLineLast) {
  SourceLocation here = SourceLocation::current();
  std::string text = Message("add").rule("no").hint("yes").at(here).str();
  EXPECT_EQ(text, "add: no\n  hint: yes\n  at: message_test.cc:" +
                      std::to_string(here.line()));
}

TEST(MessageTest, LeavesOutLinesOfTheLibrary) {
  EXPECT_EQ(Message("add").rule("no").at(place_in_the_library()).str(),
            "add: no");
}

TEST(MessageTest, NoPlaceIsNotShown) {
  EXPECT_EQ(place_text(SourceLocation()), "");
  EXPECT_EQ(Message("add").rule("no").at(SourceLocation()).str(), "add: no");
}

TEST(MessageTest, JoinsEveryKindOfValue) {
  EXPECT_EQ(concatenate_text("a", 'b', 1, -2LL, 3u, 1.5, true, WithText(),
                             WithStream(), Colour::red, std::string("z")),
            "ab1-231.5truefloat32[32]streamedredz");
}

TEST(MessageTest, RaisesTheErrorAskedFor) {
  try {
    Message("matmul").rule("wrong").raise<ShapeError>();
  } catch (const ShapeError& e) {
    EXPECT_STREQ(e.what(), "matmul: wrong");
    return;
  }
  FAIL() << "nothing was thrown";
}

}  // namespace
}  // namespace systolic::internal
