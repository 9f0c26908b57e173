#include "systolic/runtime/input_note.h"

#include <gtest/gtest.h>

#include <memory>

namespace systolic::internal::runtime {
namespace {

TEST(InputNoteTest, TheLastOneThatSaysSomething) {
  {
    const InputNote first([] { return std::string("first"); });
    EXPECT_EQ(input_note(), "first");
    auto second = std::make_unique<InputNote>([] { return "second"; });
    EXPECT_EQ(input_note(), "second");
    const InputNote silent([] { return ""; });
    EXPECT_EQ(input_note(), "second");
    second.reset();
    EXPECT_EQ(input_note(), "first");
  }
  EXPECT_EQ(input_note(), "first") << "its last words";
}

}  // namespace
}  // namespace systolic::internal::runtime
