// Environment variables for the length of a test.
//
//   EnvironmentGuard home("XDG_DATA_HOME", folder);
//   EnvironmentGuard unset("SYSTOLIC_PLATFORM_CPU");
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace systolic::testing {

// Sets or unsets a variable and brings back what was there.
class EnvironmentGuard {
 public:
  explicit EnvironmentGuard(std::string name,
                            const std::optional<std::string>& value = {})
      : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    set(value);
  }
  ~EnvironmentGuard() { set(before_); }
  EnvironmentGuard(const EnvironmentGuard&) = delete;
  EnvironmentGuard& operator=(const EnvironmentGuard&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    if (value) {
      setenv(name_.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
  }

  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace systolic::testing
