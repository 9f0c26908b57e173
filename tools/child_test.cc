#include "tools/child.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace systolic::tools {
namespace {

TEST(Child, GivesItsText) {
  const std::string large(1 << 20, 'x');
  const ChildResult result = run_in_child([&] { return large; }, 30);
  EXPECT_EQ(result.text, large);
  EXPECT_EQ(result.problem, "");
}

TEST(Child, ThatThrowsIsAProblem) {
  const ChildResult result = run_in_child(
      []() -> std::string { throw std::runtime_error("no device"); }, 30);
  EXPECT_EQ(result.problem, "no device");
  EXPECT_EQ(result.text, "");
}

TEST(Child, ThatEndsIsAProblem) {
  const ChildResult result = run_in_child(
      []() -> std::string {
        raise(SIGKILL);
        return "";
      },
      30);
  EXPECT_EQ(result.problem, "ended by signal 9");
  EXPECT_EQ(result.signal, 9);
}

TEST(Child, IsHeardAsItGoes) {
  std::string heard;
  const ChildResult result = run_in_child(
      [](const Say& say) {
        say("matmul ");
        raise(SIGKILL);
      },
      [&](std::string_view text) { heard += text; }, 30);
  EXPECT_EQ(heard, "matmul ");
  EXPECT_EQ(result.text, "matmul ");
  EXPECT_EQ(result.problem, "ended by signal 9");
}

TEST(Child, ThatHangsIsAProblem) {
  const ChildResult result = run_in_child(
      []() -> std::string {
        sleep(60);
        return "";
      },
      1);
  EXPECT_EQ(result.problem, "took longer than 1 s");
}

}  // namespace
}  // namespace systolic::tools
