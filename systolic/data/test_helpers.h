// Small helpers of the data room's tests.
#pragma once

#include <cstdint>
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
