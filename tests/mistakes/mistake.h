// A table of user mistakes: what the user does, and the whole message.
//
//   const Mistake kMistakes[] = {
//       {"negative_units", [] { layers::Dense(-1); }, R"(ValueError: ...)"}};
//   INSTANTIATE_MISTAKES(Layers, kMistakes);
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

namespace systolic::mistakes {

struct Mistake {
  const char* name;
  std::function<void()> run;
  // The exception's class and its text, where `<line>` stands for the place
  // in the test's file and `<folder>` for its temporary folder.
  const char* message;
};

inline void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

class MistakeTest : public ::testing::TestWithParam<Mistake> {};

// The folder that tests may write to; another one for each test.
std::string folder();

#define INSTANTIATE_MISTAKES(group, table)            \
  INSTANTIATE_TEST_SUITE_P(                           \
      group, MistakeTest, ::testing::ValuesIn(table), \
      [](const auto& test_info) { return std::string(test_info.param.name); })

}  // namespace systolic::mistakes
