#include "systolic/runtime/usage.h"

#include <algorithm>
#include <utility>

namespace systolic::internal::runtime {

namespace {

thread_local bool is_at_work = false;

}  // namespace

DeviceUsage Usage::of(const Device& device) const {
  for (const auto& [known, usage] : devices) {
    if (known == device) return usage;
  }
  return {.idle_in = host};
}

UsageRecorder& UsageRecorder::instance() {
  // Never destroyed: devices may end their work while the process does.
  static auto& recorder = *new UsageRecorder;
  return recorder;
}

void UsageRecorder::advance() {
  const int64_t now = clock_();
  const int64_t passed = now - last_;
  last_ = now;
  HostTimes at_work{};
  for (size_t kind = 0; kind < kHostWorks; ++kind) {
    if (open_[kind] > 0) at_work[kind] = passed;
    host_[kind] += at_work[kind];
  }
  for (Tracked& tracked : devices_) {
    if (tracked.in_flight > 0) {
      tracked.usage.busy += passed;
      continue;
    }
    for (size_t kind = 0; kind < kHostWorks; ++kind) {
      tracked.usage.idle_in[kind] += at_work[kind];
    }
  }
}

UsageRecorder::Tracked& UsageRecorder::find(const Device& device) {
  for (Tracked& tracked : devices_) {
    if (tracked.device == device) return tracked;
  }
  devices_.push_back({.device = device, .usage = {.idle_in = host_}});
  return devices_.back();
}

void UsageRecorder::begin(std::span<const Device> devices,
                          const LaunchWork& work) {
  const std::lock_guard lock(mutex_);
  advance();
  for (const Device& device : devices) {
    Tracked& tracked = find(device);
    ++tracked.in_flight;
    DeviceUsage& usage = tracked.usage;
    ++usage.launches;
    usage.work += work.amount;
    usage.bytes_accessed += work.bytes_accessed.value_or(0);
    if (!work.bytes_accessed) ++usage.without_bytes;
  }
}

void UsageRecorder::end(const Device& device) {
  const std::lock_guard lock(mutex_);
  advance();
  --find(device).in_flight;
}

void UsageRecorder::add_launch(int64_t nanoseconds) {
  launches_.fetch_add(1, std::memory_order_relaxed);
  launch_time_.fetch_add(nanoseconds, std::memory_order_relaxed);
}

void UsageRecorder::begin(HostWork kind) {
  const std::lock_guard lock(mutex_);
  advance();
  ++open_[static_cast<size_t>(kind)];
}

void UsageRecorder::end(HostWork kind) {
  const std::lock_guard lock(mutex_);
  advance();
  --open_[static_cast<size_t>(kind)];
}

ProgramUsage& UsageRecorder::add_program(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  ProgramUsage& program = programs_.emplace_back();
  program.bytes = bytes;
  return program;
}

int64_t UsageRecorder::largest_program(int64_t since) const {
  const std::lock_guard lock(mutex_);
  int64_t largest = 0;
  for (const ProgramUsage& program : programs_) {
    if (program.last_launch.load() >= since) {
      largest = std::max(largest, program.bytes);
    }
  }
  return largest;
}

Usage UsageRecorder::read() {
  const std::lock_guard lock(mutex_);
  advance();
  Usage usage{.at = last_,
              .launches = launches_.load(),
              .launch_time = launch_time_.load(),
              .host = host_};
  for (const Tracked& tracked : devices_) {
    usage.devices.emplace_back(tracked.device, tracked.usage);
  }
  return usage;
}

bool begin_host_work(HostWork kind) {
  if (is_at_work) return false;
  is_at_work = true;
  UsageRecorder::instance().begin(kind);
  return true;
}

void end_host_work(HostWork kind) {
  is_at_work = false;
  UsageRecorder::instance().end(kind);
}

WorkAhead::WorkAhead() : was_at_work_(std::exchange(is_at_work, true)) {}

WorkAhead::~WorkAhead() { is_at_work = was_at_work_; }

}  // namespace systolic::internal::runtime
