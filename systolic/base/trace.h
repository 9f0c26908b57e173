// Where time goes: stretches of work of threads and of devices, written as a
// file in Chrome's trace event format.
//
//   TraceScope scope("compile");
//   scope.note("program", text);
//
// On from the start where SYSTOLIC_TRACE names a file, which is written when
// the process ends. While it is off, a scope costs one load.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace systolic::internal {

namespace trace_detail {
enum class State : uint8_t { unknown, off, on };
extern constinit std::atomic<State> state;
// Reads the environment; whether a trace is taken.
bool decide();
}  // namespace trace_detail

/// Whether stretches of work are recorded now.
inline bool trace_is_on() {
  const auto state = trace_detail::state.load(std::memory_order_relaxed);
  if (state == trace_detail::State::off) [[likely]] {
    return false;
  }
  return state == trace_detail::State::on || trace_detail::decide();
}

/// Records from now on, for the file at `path`; forgets what was recorded.
void start_trace(std::string path);

/// Writes the file (beside its place, then moved there) and records no more.
/// A file that can not be written is a warning in the log.
void stop_trace();

/// Nanoseconds of the clock that traces use.
int64_t trace_clock();

/// What this thread is called in traces; `name` lives for ever.
void name_trace_thread(const char* name);

/// One stretch of work of this thread: from its construction to its end.
/// `name` and the keys of notes live for ever.
class TraceScope {
 public:
  explicit TraceScope(const char* name)
      : name_(trace_is_on() ? name : nullptr) {
    if (name_ != nullptr) [[unlikely]] {
      start_ = trace_clock();
    }
  }
  ~TraceScope() { end(); }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

  /// Whether it is recorded: only then are notes worth their text.
  bool is_on() const { return name_ != nullptr; }
  /// Adds a fact that the viewer shows beside the stretch.
  void note(const char* key, std::string_view value);
  void note(const char* key, int64_t value);
  /// Ends it before the scope does.
  void end() {
    if (name_ != nullptr) [[unlikely]] {
      record();
    }
  }

 private:
  void record();

  const char* name_;
  int64_t start_ = 0;
  std::string notes_;
};

/// Work that a device was given at `since`; the number is for the next
/// function.
int64_t begin_device_work(std::string_view device, std::string_view name,
                          int64_t since);

/// The work has ended. A device does one after the other: its stretch begins
/// where the work given before it ended, or at `since`.
void end_device_work(std::string_view device, int64_t number);

}  // namespace systolic::internal
