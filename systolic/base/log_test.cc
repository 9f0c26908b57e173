#include "systolic/base/log.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace systolic {
namespace {

TEST(LogTest, SinkReceivesLinesAtOrAboveTheLevel) {
  std::vector<std::string> lines;
  LogSink before = set_log_sink([&](LogLevel level, std::string_view text) {
    lines.push_back(std::string(name(level)) + " " + std::string(text));
  });
  log(LogLevel::debug, "hidden");
  log(LogLevel::info, "one");
  set_log_level(LogLevel::warning);
  log(LogLevel::info, "hidden too");
  log(LogLevel::error, "two");
  EXPECT_EQ(log_level(), LogLevel::warning);
  set_log_level(LogLevel::info);
  set_log_sink(std::move(before));
  EXPECT_EQ(lines, (std::vector<std::string>{"info one", "error two"}));
}

TEST(LogTest, ASinkThatThrowsIsSurvived) {
  LogSink before = set_log_sink(
      [](LogLevel, std::string_view) { throw std::runtime_error("sink"); });
  EXPECT_NO_THROW(log(LogLevel::error, "text"));
  set_log_sink(std::move(before));
}

TEST(LogTest, TheDefaultSinkIsStderr) {
  LogSink before = set_log_sink({});
  testing::internal::CaptureStderr();
  log(LogLevel::info, "hello");
  log(LogLevel::warning, "careful");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "hello\nwarning: careful\n");
  set_log_sink(std::move(before));
}

}  // namespace
}  // namespace systolic
