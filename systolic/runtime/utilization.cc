#include "systolic/runtime/utilization.h"

#include <array>
#include <cstdio>
#include <mutex>
#include <ostream>

#include "systolic/runtime/input_note.h"
#include "systolic/runtime/memory.h"
#include "systolic/runtime/usage.h"
#include "systolic/runtime/utilization_figures.h"

namespace systolic::runtime {

namespace own = internal::runtime;

namespace {

// Where utilization() starts.
class Start {
 public:
  static Start& instance() {
    static auto& start = *new Start;
    return start;
  }
  own::Usage get() const {
    const std::lock_guard lock(mutex_);
    return usage_;
  }
  void set(own::Usage usage) {
    const std::lock_guard lock(mutex_);
    usage_ = std::move(usage);
  }

 private:
  Start() : usage_{.at = own::UsageRecorder::instance().start()} {}

  mutable std::mutex mutex_;
  own::Usage usage_;
};

// The peaks that hold for all devices; none where kinds are mixed.
own::Peaks peaks_of(const own::Usage& from, const own::Usage& to) {
  std::optional<std::string> kind;
  for (const auto& [device, usage] : to.devices) {
    if (usage.launches == from.of(device).launches) continue;
    if (kind && *kind != device.kind()) return {};
    kind = device.kind();
  }
  return kind ? own::peaks_of_kind(*kind) : own::Peaks();
}

void set_memory(Utilization& u, const own::Usage& from, const own::Usage& to) {
  own::MemoryStats most = own::process_memory();
  for (const auto& [device, usage] : to.devices) {
    if (usage.launches == from.of(device).launches) continue;
    const own::MemoryStats stats = own::memory_stats(device);
    const bool is_better = most.is_process && !stats.is_process;
    if (is_better || (stats.is_process == most.is_process &&
                      stats.bytes_in_use > most.bytes_in_use)) {
      most = stats;
    }
  }
  u.bytes_in_use = most.bytes_in_use;
  u.peak_bytes = most.peak_bytes;
  u.memory_is_process = most.is_process;
  const int64_t program =
      own::UsageRecorder::instance().largest_program(from.at);
  if (program > 0) u.program_bytes = program;
}

Utilization since(const own::Usage& from) {
  const own::Usage to = own::UsageRecorder::instance().read();
  Utilization u = own::figures(from, to, peaks_of(from, to));
  set_memory(u, from, to);
  own::name_bottleneck(u);
  if (u.bottleneck == Bottleneck::input) {
    const std::string note = own::input_note();
    if (!note.empty()) u.advice += "; " + note;
  }
  return u;
}

std::string number(const char* pattern, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, pattern, value);
  return buffer;
}

std::string percent(double fraction) {
  constexpr double kPercent = 100;
  return number("%.1f%%", fraction * kPercent);
}

// "5.61 TFLOP/s", "1.2 GB": three or so digits and a unit of a thousand.
std::string with_unit(double value, const char* unit) {
  constexpr std::array<const char*, 6> kPrefixes = {"",  "k", "M",
                                                    "G", "T", "P"};
  constexpr double kThousand = 1000;
  size_t prefix = 0;
  while (value >= kThousand && prefix + 1 < kPrefixes.size()) {
    value /= kThousand;
    ++prefix;
  }
  return number(value < 10 ? "%.2f " : "%.0f ", value) + kPrefixes[prefix] +
         unit;
}

std::string idle_text(const Utilization& u) {
  std::string parts;
  const auto add = [&](const char* name, double fraction) {
    constexpr double kShown = 0.0005;
    if (fraction < kShown) return;
    parts += (parts.empty() ? " (" : ", ") + std::string(name) + " " +
             percent(fraction);
  };
  add("input", u.input_idle_fraction);
  add("compile", u.compile_idle_fraction);
  add("host", u.host_idle_fraction);
  return "idle: " + percent(u.idle_fraction) + parts +
         (parts.empty() ? "" : ")");
}

std::string flops_text(const Utilization& u) {
  const std::string rate = with_unit(u.flops_per_second(), "FLOP/s");
  if (!u.matrix_unit_fraction) return "MXU: unknown (" + rate + ")";
  return "MXU: " + percent(*u.matrix_unit_fraction) + " (" + rate + ")";
}

std::string memory_text(const Utilization& u) {
  std::string text = u.memory_is_process ? "resident: " : "memory: ";
  text += with_unit(static_cast<double>(u.bytes_in_use), "B");
  if (u.peak_bytes) {
    text += ", peak " + with_unit(static_cast<double>(*u.peak_bytes), "B");
  }
  if (u.program_bytes) {
    text +=
        ", program " + with_unit(static_cast<double>(*u.program_bytes), "B");
  }
  return text;
}

}  // namespace

std::string_view to_string(Bottleneck bottleneck) {
  constexpr std::array<std::string_view, 6> kNames = {
      "none", "input", "launch", "compute", "collectives", "memory"};
  return kNames[static_cast<size_t>(bottleneck)];
}

std::string Utilization::to_string() const {
  std::string text = "utilization: " + number("%.2fs", wall_seconds) + " - " +
                     idle_text(*this) + " - " + flops_text(*this) +
                     " - input wait: " + number("%.2fs", input_wait_seconds) +
                     " - launch: " + number("%.2fs", launch_seconds) + " (" +
                     std::to_string(launches) + " launches) - " +
                     memory_text(*this);
  text += "\nbottleneck: " + std::string(runtime::to_string(bottleneck));
  if (!advice.empty()) text += " - " + advice;
  return text;
}

std::ostream& operator<<(std::ostream& out, const Utilization& utilization) {
  return out << utilization.to_string();
}

Utilization utilization() { return since(Start::instance().get()); }

void reset_utilization() {
  Start::instance().set(own::UsageRecorder::instance().read());
}

UtilizationWindow::UtilizationWindow()
    : start_(std::make_shared<const own::Usage>(
          own::UsageRecorder::instance().read())) {}

Utilization UtilizationWindow::read() const { return since(*start_); }

InputWait::InputWait()
    : is_outermost_(own::begin_host_work(own::HostWork::input)) {}

InputWait::~InputWait() {
  if (is_outermost_) own::end_host_work(own::HostWork::input);
}

}  // namespace systolic::runtime
