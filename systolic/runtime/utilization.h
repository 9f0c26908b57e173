// How well the devices are used, and what to try first.
//
//   runtime::reset_utilization();
//   train();
//   std::cout << runtime::utilization() << "\n";
//
// Everything is recorded all the time, at well below a microsecond a launch.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace systolic::internal::runtime {
struct Usage;
}

namespace systolic::runtime {

/// What holds a program up.
enum class Bottleneck : uint8_t {
  none,         // nothing was launched
  input,        // the devices wait for data
  launch,       // they wait for the host's next launch
  compute,      // they are busy with what they were given
  collectives,  // they exchange values most of the time
  memory,       // their memory is slower than their arithmetic
};

/// "input", "launch" ...
std::string_view to_string(Bottleneck bottleneck);

/// The figures of a stretch of time. Fractions are of that time, between 0 and
/// 1, and means over the devices that had programs in it. What nobody knows is
/// not set: no figure is made up.
struct Utilization {
  double wall_seconds = 0;
  /// Programs started, replicated ones once.
  int64_t launches = 0;
  /// Devices that had programs.
  int devices = 0;
  /// A device had a program: from its launch, or the end of the one before, to
  /// its end. The rest is idle.
  double busy_fraction = 0;
  double idle_fraction = 0;
  /// What the host did while devices were idle: wait for input, compile, or
  /// anything else (recording, launches, callbacks). They add up to
  /// idle_fraction.
  double input_idle_fraction = 0;
  double compile_idle_fraction = 0;
  double host_idle_fraction = 0;
  /// The host waited for data or sent them, whether devices worked or not.
  double input_wait_seconds = 0;
  /// The host was inside of launches, waits for the devices left out.
  double launch_seconds = 0;
  /// The host compiled programs or loaded compiled ones.
  double compile_seconds = 0;
  /// Of all devices, in matrix products and convolutions; a loop whose length
  /// only the device knows counts as one turn.
  double flops = 0;
  /// MXU %: flops of what the matrix units could have done. Known for TPUs,
  /// whose peak is published.
  std::optional<double> matrix_unit_fraction = {};
  /// Bytes read and written of what the devices' memory could have moved, and
  /// the time in collectives, by the compiler's estimates and published
  /// bandwidths.
  std::optional<double> memory_bandwidth_fraction = {};
  std::optional<double> collective_fraction = {};
  /// Memory of the device that uses most, in bytes; or the process's resident
  /// memory, where the platform does not tell.
  int64_t bytes_in_use = 0;
  std::optional<int64_t> peak_bytes = {};
  bool memory_is_process = false;
  /// What the largest program that was launched needs on a device.
  std::optional<int64_t> program_bytes = {};

  Bottleneck bottleneck = Bottleneck::none;
  /// The first thing to try, in a sentence.
  std::string advice = {};

  double flops_per_second() const {
    return wall_seconds > 0 ? flops / wall_seconds : 0;
  }
  /// Two lines: the figures, the bottleneck.
  std::string to_string() const;
};

/// Prints to_string().
std::ostream& operator<<(std::ostream& out, const Utilization& utilization);

/// The figures since the program's first use of the library, or since
/// reset_utilization(). Does not wait for the devices.
Utilization utilization();

/// The figures of utilization() start again here; those of windows do not.
void reset_utilization();

/// A stretch of time of its own, from its construction on.
class UtilizationWindow {
 public:
  UtilizationWindow();
  /// The figures up to now.
  Utilization read() const;

 private:
  std::shared_ptr<const internal::runtime::Usage> start_;
};

/// Time in which this thread waits for input, as long as it lives. Data sets
/// tell by themselves; this is for a program that reads its data on its own.
class InputWait {
 public:
  InputWait();
  ~InputWait();
  InputWait(const InputWait&) = delete;
  InputWait& operator=(const InputWait&) = delete;

 private:
  bool is_outermost_;
};

}  // namespace systolic::runtime
