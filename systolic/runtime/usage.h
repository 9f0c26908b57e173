// What the devices and the host did, added up as it happens: what
// utilization.h makes its figures of. Two readings are a window.
//
//   UsageRecorder::instance().begin(devices, work);
//   ...
//   UsageRecorder::instance().end(device);
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "systolic/base/trace.h"
#include "systolic/runtime/device.h"
#include "systolic/stablehlo/work.h"

namespace systolic::internal::runtime {

// What the host may be doing while devices have nothing to do.
enum class HostWork : uint8_t { input, compile };
inline constexpr size_t kHostWorks = 2;

// Times of each kind of HostWork, in nanoseconds.
using HostTimes = std::array<int64_t, kHostWorks>;

// What one launch does on one device.
struct LaunchWork {
  stablehlo::WorkAmount amount = {};
  // Bytes of the device's memory that are read and written, where the
  // compiler estimates them.
  std::optional<double> bytes_accessed = {};
};

// What a device did; times in nanoseconds.
struct DeviceUsage {
  int64_t busy = 0;  // it had a program
  uint64_t launches = 0;
  stablehlo::WorkAmount work = {};
  double bytes_accessed = 0;
  uint64_t without_bytes = 0;  // launches whose bytes nobody knows
  // It had none, while the host was at that.
  HostTimes idle_in = {};
};

// A compiled program, with the time of its last launch.
struct ProgramUsage {
  int64_t bytes = 0;  // that it needs on a device
  std::atomic<int64_t> last_launch{0};
};

// All that was recorded up to `at`.
struct Usage {
  int64_t at = 0;  // nanoseconds of trace_clock
  uint64_t launches = 0;
  int64_t launch_time = 0;  // of the host in launches, waits left out
  HostTimes host = {};
  std::vector<std::pair<Device, DeviceUsage>> devices = {};

  // What is recorded of a device, or of one that has done nothing so far: it
  // was idle all the time.
  DeviceUsage of(const Device& device) const;
};

// Adds up. Safe to use from several threads.
class UsageRecorder {
 public:
  using Clock = int64_t (*)();
  explicit UsageRecorder(Clock clock = &trace_clock)
      : clock_(clock), start_(clock()), last_(start_) {}

  // When it was made.
  int64_t start() const { return start_; }
  // That of the process.
  static UsageRecorder& instance();

  // Each of the devices is given work.
  void begin(std::span<const Device> devices, const LaunchWork& work);
  // A device has ended what it was given at some time.
  void end(const Device& device);
  // The host has started a launch, and needed so long for it.
  void add_launch(int64_t nanoseconds);
  // The host begins and ends some work; threads may overlap.
  void begin(HostWork kind);
  void end(HostWork kind);

  // A program that is going to be launched; stays where it is.
  ProgramUsage& add_program(int64_t bytes);
  // The bytes of the largest program that was launched since then; 0: none.
  int64_t largest_program(int64_t since) const;

  Usage read();

 private:
  struct Tracked {
    Device device;
    DeviceUsage usage;
    int in_flight = 0;
  };

  // Adds the time since the last event to what lasted. With the lock held.
  void advance();
  Tracked& find(const Device& device);

  const Clock clock_;
  const int64_t start_;
  mutable std::mutex mutex_;
  int64_t last_;
  std::array<int, kHostWorks> open_{};
  HostTimes host_{};
  std::vector<Tracked> devices_;
  std::atomic<uint64_t> launches_{0};
  std::atomic<int64_t> launch_time_{0};
  std::list<ProgramUsage> programs_;
};

// Begins and ends work of this thread; false where it is within another, which
// does not count and has no end.
[[nodiscard]] bool begin_host_work(HostWork kind);
void end_host_work(HostWork kind);

// Work of this thread does not count as long as it lives: it is done ahead, and
// whoever has to wait for it counts.
class WorkAhead {
 public:
  WorkAhead();
  ~WorkAhead();
  WorkAhead(const WorkAhead&) = delete;
  WorkAhead& operator=(const WorkAhead&) = delete;

 private:
  const bool was_at_work_;
};

// Begins and ends work of this thread for as long as it lives.
class HostWorkScope {
 public:
  explicit HostWorkScope(HostWork kind)
      : kind_(kind), is_outermost_(begin_host_work(kind)) {}
  ~HostWorkScope() {
    if (is_outermost_) end_host_work(kind_);
  }
  HostWorkScope(const HostWorkScope&) = delete;
  HostWorkScope& operator=(const HostWorkScope&) = delete;

 private:
  HostWork kind_;
  bool is_outermost_;
};

}  // namespace systolic::internal::runtime
