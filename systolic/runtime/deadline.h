// How long the library waits for a device, and what it says after that.
//
//   const Deadline deadline;
//   await(done, buffer, "to_host", deadline);  // PlatformError names the
//   device
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "systolic/pjrt/event.h"
#include "systolic/runtime/buffer.h"

namespace systolic::internal::runtime {

using Seconds = std::chrono::duration<double>;

// The seconds in SYSTOLIC_DEADLINE, 7200 where it is not set; "off" is a time
// that does not pass. ValueError for another text.
Seconds time_limit();

// A point in time after which waiting is given up.
class Deadline {
 public:
  Deadline() : limit_(time_limit()), end_(Clock::now() + to_ticks(limit_)) {}

  // From the start to the end.
  Seconds limit() const { return limit_; }
  // From now to the end; 0 once that has passed.
  Seconds left() const;

 private:
  using Clock = std::chrono::steady_clock;
  static Clock::duration to_ticks(Seconds seconds) {
    return std::chrono::duration_cast<Clock::duration>(seconds);
  }

  Seconds limit_;
  Clock::time_point end_;
};

// An event and the value that it is about.
struct Awaited {
  const pjrt::Event* event = nullptr;
  const DeviceBuffer* buffer = nullptr;
};

// Waits for `one`; throws PlatformError with its failure, or, of code 4
// (DEADLINE_EXCEEDED), with the devices of those of `all` that have not
// happened. Half-way, or after five minutes, a line goes to the log.
void await(const Awaited& one, std::span<const Awaited> all, const char* who,
           const Deadline& deadline);

// Whether a wait has been given up: a device is not to be counted on.
bool has_given_up();

// Throws that the deadline has passed: "cpu:1, cpu:3" did not answer.
[[noreturn]] void throw_late(const char* who, const std::string& awaited,
                             const std::vector<std::string>& missing,
                             const Deadline& deadline);

}  // namespace systolic::internal::runtime
