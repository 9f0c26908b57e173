// Where the library's log lines go; it never prints by itself.
//   set_log_sink([](LogLevel level, std::string_view text) { ... });
//   log(LogLevel::info, "TPU system has been initialized");
// The default sink writes to stderr what is at or above the level `info`.
#pragma once

#include <functional>
#include <string_view>

namespace systolic {

// How much a log line matters, least first.
enum class LogLevel { debug, info, warning, error };

// "debug", "info", "warning" or "error".
std::string_view name(LogLevel level);

// Receives every line at or above the set level; may be called from any
// thread, one call at a time.
using LogSink = std::function<void(LogLevel, std::string_view)>;

// Sends a line (without newline) to the sink. Never throws.
void log(LogLevel level, std::string_view text) noexcept;

// Replaces the sink and returns the one before; an empty sink brings the
// default one (stderr) back. A sink must not set the sink.
LogSink set_log_sink(LogSink sink);

// Drops lines below `level` from now on; the first level is `info`.
void set_log_level(LogLevel level);

// The lowest level that reaches the sink.
LogLevel log_level();

}  // namespace systolic
