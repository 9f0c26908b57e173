#include "systolic/runtime/utilization_figures.h"

#include <algorithm>

#include "systolic/platforms/tpu_hardware.h"

namespace systolic::internal::runtime {

using systolic::runtime::Bottleneck;
using systolic::runtime::Utilization;

namespace {

constexpr double kNanosecond = 1e-9;
// Less idle time than this is nobody's trouble: a faster pipeline or fewer
// launches would gain less than a tenth.
constexpr double kIdleThatCounts = 0.1;
// From this much of the time between two launches on, it is not the launch:
// a launch costs the host microseconds, a callback may do anything.
constexpr double kLongGap = 0.01;
// Below this much of the matrix units in the busy time, they have room.
constexpr double kMatrixUnitsHaveRoom = 0.4;

double seconds(int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * kNanosecond;
}

std::optional<double> per_device(const platforms::TpuFigure& figure,
                                 double unit, int devices_per_chip) {
  if (!figure.is_known()) return std::nullopt;
  return figure * unit / devices_per_chip;
}

// What a device did between two readings.
DeviceUsage between(const DeviceUsage& from, const DeviceUsage& to) {
  DeviceUsage done{.busy = to.busy - from.busy,
                   .launches = to.launches - from.launches,
                   .work = to.work,
                   .bytes_accessed = to.bytes_accessed - from.bytes_accessed,
                   .without_bytes = to.without_bytes - from.without_bytes};
  done.work += from.work * -1;
  for (size_t kind = 0; kind < kHostWorks; ++kind) {
    done.idle_in[kind] = to.idle_in[kind] - from.idle_in[kind];
  }
  return done;
}

// Whether a device had programs. The end of one that was launched before, less
// than a tenth of the time, is none: a device would count that nobody uses.
bool is_used(const DeviceUsage& usage, int64_t wall) {
  constexpr int64_t kTenth = 10;
  return usage.launches > 0 || usage.busy > wall / kTenth;
}

// The sums over the devices that had programs.
struct Sums {
  int devices = 0;
  DeviceUsage all = {};

  void add(const DeviceUsage& one) {
    ++devices;
    all.busy += one.busy;
    all.work += one.work;
    all.bytes_accessed += one.bytes_accessed;
    all.without_bytes += one.without_bytes;
    for (size_t kind = 0; kind < kHostWorks; ++kind) {
      all.idle_in[kind] += one.idle_in[kind];
    }
  }
};

// The parts of the idle time. Threads may overlap, so that parts are cut to
// what there is.
void set_idle(Utilization& u, const Sums& sums) {
  const double total = u.wall_seconds * std::max(sums.devices, 1);
  const auto part = [&](HostWork kind) {
    return seconds(sums.all.idle_in[static_cast<size_t>(kind)]) / total;
  };
  u.busy_fraction = std::clamp(seconds(sums.all.busy) / total, 0.0, 1.0);
  u.idle_fraction = 1 - u.busy_fraction;
  u.compile_idle_fraction =
      std::clamp(part(HostWork::compile), 0.0, u.idle_fraction);
  u.input_idle_fraction = std::clamp(part(HostWork::input), 0.0,
                                     u.idle_fraction - u.compile_idle_fraction);
  u.host_idle_fraction =
      u.idle_fraction - u.compile_idle_fraction - u.input_idle_fraction;
}

void set_peak_fractions(Utilization& u, const Sums& sums, const Peaks& peaks) {
  const double devices = std::max(sums.devices, 1);
  const double total = u.wall_seconds * devices;
  if (peaks.flops) u.matrix_unit_fraction = u.flops / (total * *peaks.flops);
  if (peaks.memory_bytes && sums.all.without_bytes == 0) {
    u.memory_bandwidth_fraction =
        sums.all.bytes_accessed / (total * *peaks.memory_bytes);
  }
  if (peaks.exchange_bytes) {
    u.collective_fraction =
        sums.all.work.exchanged_bytes / (total * *peaks.exchange_bytes);
  }
}

Bottleneck of_busy_devices(const Utilization& u) {
  const double exchanging = u.collective_fraction.value_or(0);
  if (exchanging > u.busy_fraction / 2) return Bottleneck::collectives;
  const bool is_memory = u.memory_bandwidth_fraction &&
                         u.matrix_unit_fraction &&
                         *u.memory_bandwidth_fraction > *u.matrix_unit_fraction;
  return is_memory ? Bottleneck::memory : Bottleneck::compute;
}

Bottleneck bottleneck_of(const Utilization& u) {
  if (u.launches == 0) return Bottleneck::none;
  // A compilation happens once; the rest of the time is what can be helped.
  const double rest = 1 - u.compile_idle_fraction;
  const double idle = u.input_idle_fraction + u.host_idle_fraction;
  if (rest <= 0 || idle < kIdleThatCounts * rest) return of_busy_devices(u);
  return u.input_idle_fraction >= u.host_idle_fraction ? Bottleneck::input
                                                       : Bottleneck::launch;
}

std::string advice_for(const Utilization& u) {
  switch (u.bottleneck) {
    case Bottleneck::none:
      return "";
    case Bottleneck::input:
      return "let the data set work ahead: cache(), map with "
             ".num_parallel_calls = data::AUTOTUNE, "
             "prefetch(data::AUTOTUNE)";
    case Bottleneck::launch: {
      const double gap = u.host_idle_fraction * u.wall_seconds /
                         static_cast<double>(u.launches);
      return gap > kLongGap ? "see what the host does between the steps "
                              "(callbacks?): SYSTOLIC_TRACE=trace.json"
                            : "more steps for each launch: "
                              ".steps_per_execution = 50 in compile";
    }
    case Bottleneck::compute:
      return u.matrix_unit_fraction.value_or(1) <
                     kMatrixUnitsHaveRoom * u.busy_fraction
                 ? "larger batches fill the matrix units better"
                 : "the devices have all they can do: more of them, or the "
                   "policy mixed_bfloat16";
    case Bottleneck::collectives:
      return "larger batches on each device: gradients are exchanged once a "
             "step";
    case Bottleneck::memory:
      return "the policy mixed_bfloat16 halves the bytes; larger batches use "
             "each weight more often";
  }
  return "";
}

}  // namespace

Peaks peaks_of_kind(const std::string& kind) {
  for (const platforms::TpuGeneration& tpu : platforms::tpu_generations()) {
    if (tpu.kind != kind) continue;
    constexpr double kGiga = 1e9, kTera = 1e12;
    const int devices = tpu.devices_per_chip;
    return {
        .flops = per_device(tpu.tflops_per_chip, kTera, devices),
        .memory_bytes = per_device(tpu.memory_gb_per_second, kGiga, devices),
        .exchange_bytes =
            per_device(tpu.all_reduce_gb_per_second, kGiga, devices)};
  }
  return {};
}

Utilization figures(const Usage& from, const Usage& to, const Peaks& peaks) {
  Sums sums;
  for (const auto& [device, usage] : to.devices) {
    const DeviceUsage done = between(from.of(device), usage);
    if (is_used(done, to.at - from.at)) sums.add(done);
  }
  const auto host = [&](HostWork kind) {
    const auto at = static_cast<size_t>(kind);
    return seconds(to.host[at] - from.host[at]);
  };
  Utilization u;
  u.wall_seconds = std::max(seconds(to.at - from.at), kNanosecond);
  u.launches = static_cast<int64_t>(to.launches - from.launches);
  u.devices = sums.devices;
  u.input_wait_seconds = host(HostWork::input);
  u.compile_seconds = host(HostWork::compile);
  u.launch_seconds = seconds(to.launch_time - from.launch_time);
  u.flops = sums.all.work.flops;
  set_idle(u, sums);
  set_peak_fractions(u, sums, peaks);
  return u;
}

void name_bottleneck(Utilization& u) {
  u.bottleneck = bottleneck_of(u);
  u.advice = advice_for(u);
}

}  // namespace systolic::internal::runtime
