// Tested by: tests/fake_plugin/exit_test.cc
#include "systolic/runtime/untold.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/base/message.h"

namespace systolic::internal::runtime {

namespace {

constexpr size_t kMost = 16;

struct Failure {
  std::string text;
  std::string name;
  bool is_told;
};

struct Failures {
  std::mutex mutex;
  std::vector<Failure> list;

  Failure& of(const std::string& text) {
    const auto known = std::ranges::find(list, text, &Failure::text);
    if (known != list.end()) return *known;
    if (list.size() == kMost) list.erase(list.begin());
    return list.emplace_back(Failure{text, "", false});
  }
};

Failures& failures() {
  static auto* all = new Failures;  // never destroyed: used at the end
  return *all;
}

// The plugin's own words: which call gave them differs.
std::string text_of(const PlatformError& error) {
  const std::string_view text = error.what();
  return std::string(text.substr(std::min(text.size(), error.call().size())));
}

}  // namespace

void note_failure(const std::exception_ptr& failure,
                  std::string_view name) noexcept {
  if (failure == nullptr) return;
  try {
    std::rethrow_exception(failure);
  } catch (const PlatformError& error) {
    try {
      auto& all = failures();
      const std::lock_guard lock(all.mutex);
      all.of(text_of(error)).name = name;
    } catch (...) {  // out of memory
    }
  } catch (...) {
  }
}

void note_told(const PlatformError& error) noexcept {
  try {
    auto& all = failures();
    const std::lock_guard lock(all.mutex);
    all.of(text_of(error)).is_told = true;
  } catch (...) {  // out of memory
  }
}

void log_untold() noexcept {
  try {
    auto& all = failures();
    const std::lock_guard lock(all.mutex);
    for (const Failure& failure : all.list) {
      if (failure.is_told) continue;
      log(LogLevel::error,
          concatenate_text("exit: a launch", failure.name.empty() ? "" : " of ",
                           failure.name,
                           " failed, and nobody looked at its values",
                           failure.text));
    }
    all.list.clear();
  } catch (...) {  // out of memory
  }
}

}  // namespace systolic::internal::runtime
