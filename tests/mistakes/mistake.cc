#include "tests/mistakes/mistake.h"

#include <systolic/systolic.h>
#include <unistd.h>

#include <filesystem>
#include <regex>

namespace systolic::mistakes {

namespace {

std::string current_folder;

// The class of the exception, as users catch it; derived classes last.
std::string class_name(const std::exception& error) {
  std::string name = "an exception that is none of ours";
  const auto try_class = [&]<class E>(const E*, const char* its_name) {
    if (dynamic_cast<const E*>(&error) != nullptr) name = its_name;
  };
  try_class(static_cast<const InternalError*>(nullptr), "InternalError");
  try_class(static_cast<const PlatformError*>(nullptr), "PlatformError");
  try_class(static_cast<const DataError*>(nullptr), "DataError");
  try_class(static_cast<const NotFoundError*>(nullptr), "NotFoundError");
  try_class(static_cast<const TypeError*>(nullptr), "TypeError");
  try_class(static_cast<const OutOfRangeError*>(nullptr), "OutOfRangeError");
  try_class(static_cast<const ValueError*>(nullptr), "ValueError");
  try_class(static_cast<const ShapeError*>(nullptr), "ShapeError");
  return name;
}

std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const std::exception& error) {
    return class_name(error) + ": " + error.what();
  }
  return "nothing was thrown";
}

std::string normalised(std::string text) {
  for (size_t at = 0; (at = text.find(current_folder)) != std::string::npos;) {
    text.replace(at, current_folder.size(), "<folder>");
  }
  return std::regex_replace(
      text, std::regex("[a-z_]+_platform_test\\.cc:[0-9]+"), "<line>");
}

}  // namespace

std::string folder() { return current_folder; }

TEST_P(MistakeTest, Message) {
  current_folder =
      (std::filesystem::temp_directory_path() /
       ("systolic-" + std::to_string(getpid()) + "-" + GetParam().name))
          .string();
  std::filesystem::create_directories(current_folder);
  clear_session();
  EXPECT_EQ(normalised(message_of(GetParam().run)), GetParam().message);
  std::filesystem::remove_all(current_folder);
}

}  // namespace systolic::mistakes
