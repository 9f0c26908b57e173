// Small helpers of the data room's tests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/data/dataset.h"
#include "systolic/testing/error_text.h"

namespace systolic::data {

// The int64 scalars of a data set, in its order.
inline std::vector<int64_t> values(const Dataset& dataset) {
  std::vector<int64_t> result;
  for (int64_t value : dataset.as<int64_t>()) result.push_back(value);
  return result;
}

// Whether a pass that is saved and goes on in another pipeline, which `build`
// makes, gives what it would have given anyway: at each of the first 50
// places. Empty, or where it does not.
inline std::string resume_failure(const std::function<Dataset()>& build) {
  const Dataset first = build();
  for (int place = 0; place < 50; ++place) {
    Iterator unbroken = first.iterator();
    Element element;
    for (int i = 0; i < place; ++i) {
      if (!unbroken.get_next(&element)) return "";
    }
    const std::string state = unbroken.save();
    Iterator resumed = build().iterator(state);
    for (int i = place; i < place + 200; ++i) {
      Element other;
      const bool more = unbroken.get_next(&element);
      if (more == resumed.get_next(&other) &&
          (!more || element_equal(element, other))) {
        if (!more) break;
        continue;
      }
      return "saved at " + std::to_string(place) + ", element " +
             std::to_string(i) + ": " + (more ? element.to_string() : "end") +
             " and " + other.to_string();
    }
  }
  return "";
}

// The elements of a data set as text, one behind the other.
inline std::string text(const Dataset& dataset) {
  std::string result;
  for (const Element& element : dataset) {
    if (!result.empty()) result += ' ';
    result += element.to_string();
  }
  return result;
}

// Collects the log's lines for as long as it lives.
class LogCapture {
 public:
  LogCapture()
      : before_(set_log_sink([this](LogLevel level, std::string_view text) {
          lines.push_back(std::string(name(level)) + ": " + std::string(text));
        })) {}
  ~LogCapture() { set_log_sink(before_); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  std::vector<std::string> lines;

 private:
  LogSink before_;
};

using internal::text_of;

}  // namespace systolic::data
