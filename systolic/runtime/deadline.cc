// Tested by: tests/fake_plugin/deadline_test.cc
#include "systolic/runtime/deadline.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/base/positive_seconds.h"
#include "systolic/pjrt/error.h"
#include "systolic/pjrt/functions.h"
#include "systolic/runtime/untold.h"

namespace systolic::internal::runtime {
namespace {

constexpr const char* kVariable = "SYSTOLIC_DEADLINE";
// As long as replicas wait for each other in a collective.
constexpr Seconds kUsual{7200};
// Clocks count in 64 bits of nanoseconds; this is three years.
constexpr Seconds kNever{1e8};
constexpr Seconds kPatience{300};

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

// The devices of what has not happened, each once.
std::vector<std::string> missing_devices(std::span<const Awaited> all) {
  std::vector<std::string> names;
  for (const Awaited& one : all) {
    bool is_there = false;
    try {
      is_there = one.event->is_ready();
    } catch (const PlatformError&) {  // named as missing
    }
    std::string name = one.buffer->device().name();
    if (!is_there && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  return names;
}

std::string value_text(const DeviceBuffer& buffer) {
  return concatenate_text("the value ", buffer.spec(), " on ",
                          buffer.device().name());
}

}  // namespace

Seconds time_limit() {
  const char* text = std::getenv(kVariable);
  if (text == nullptr || *text == '\0') return kUsual;
  if (std::string_view(text) == "off") return kNever;
  const Seconds seconds(positive_seconds(kVariable, text, ", or \"off\""));
  return std::min(seconds, kNever);
}

Seconds Deadline::left() const {
  return std::max(Seconds(0), Seconds(end_ - Clock::now()));
}

namespace {
std::atomic<bool> given_up{false};
}  // namespace

bool has_given_up() { return given_up.load(); }

void throw_late(const char* who, const std::string& awaited,
                const std::vector<std::string>& missing,
                const Deadline& deadline) {
  given_up = true;
  Message message(who);
  message.expected(awaited, " within ", deadline.limit().count(), " s")
      .got("no answer");
  if (!missing.empty()) message.detail("devices without answer", list(missing));
  message.hint("a device that is only slow is waited for longer with ",
               kVariable, "=<seconds>");
  throw PlatformError(message.str(), pjrt::kEventAwait.name,
                      pjrt::kDeadlineExceeded);
}

void await(const Awaited& one, std::span<const Awaited> all, const char* who,
           const Deadline& deadline) {
  const auto wait = [&](Seconds most) {
    try {
      return one.event->await_for(most);
    } catch (const PlatformError& error) {
      note_told(error);
      throw;
    }
  };
  const Seconds first = std::min(deadline.limit() / 2, kPatience);
  if (wait(std::min(first, deadline.left()))) return;
  log(LogLevel::warning,
      concatenate_text(who, ": still waiting for ", value_text(*one.buffer),
                       ", at most ", deadline.limit().count(), " s in all (",
                       kVariable, ")"));
  if (wait(deadline.left())) return;
  throw_late(who, value_text(*one.buffer), missing_devices(all), deadline);
}

}  // namespace systolic::internal::runtime
