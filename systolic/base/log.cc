#include "systolic/base/log.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

namespace systolic {
namespace {

std::atomic<LogLevel> lowest_level{LogLevel::info};

// Never destroyed: worker threads may still log while the process ends.
struct SinkHolder {
  std::mutex mutex;
  LogSink sink;
};

SinkHolder& holder() {
  static SinkHolder& instance = *new SinkHolder;
  return instance;
}

void write_to_stderr(LogLevel level, std::string_view text) {
  std::string line;
  if (level != LogLevel::info) {
    line += name(level);
    line += ": ";
  }
  line += text;
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

std::string_view name(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  return "unknown";
}

void log(LogLevel level, std::string_view text) noexcept {
  if (level < lowest_level.load(std::memory_order_relaxed)) return;
  try {
    SinkHolder& state = holder();
    std::lock_guard lock(state.mutex);
    if (state.sink) {
      state.sink(level, text);
    } else {
      write_to_stderr(level, text);
    }
  } catch (...) {
    // A sink that fails must not take the program down with it.
  }
}

LogSink set_log_sink(LogSink sink) {
  SinkHolder& state = holder();
  std::lock_guard lock(state.mutex);
  return std::exchange(state.sink, std::move(sink));
}

void set_log_level(LogLevel level) { lowest_level = level; }

LogLevel log_level() { return lowest_level; }

}  // namespace systolic
