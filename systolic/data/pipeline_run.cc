#include "systolic/data/pipeline_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ostream>
#include <utility>

#include "systolic/base/free_memory.h"
#include "systolic/base/message.h"

namespace systolic::data {
namespace {

thread_local StageTimer* current_timer = nullptr;

int64_t now() {
  return std::chrono::steady_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

double seconds(int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-9;
}

std::string counted(int64_t count, const char* noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

// What AUTOTUNE chooses of a stage.
std::string size_text(const StageReport& stage) {
  return stage.buffer > 0 ? counted(stage.buffer, "element")
                          : counted(stage.threads, "thread");
}

std::string busy_text(const StageReport& stage, double seconds) {
  constexpr double kPercent = 100;
  const double all =
      std::max(seconds * static_cast<double>(stage.threads), 1e-9);
  return "busy " +
         std::to_string(std::lround(kPercent * stage.busy_seconds / all)) +
         "% on " + counted(stage.threads, "thread");
}

// What was free when the most was: buffers of the pass before and what the
// program has taken since do not make a pass fail that went well before.
int64_t most_available_memory() {
  static std::atomic<int64_t> most = 0;
  const int64_t now = internal::available_memory();
  int64_t before = most;
  while (now > before && !most.compare_exchange_weak(before, now)) {
  }
  return std::max(now, before);
}

}  // namespace

StageTimer::StageTimer(StageCounters* stage, int64_t weight)
    : stage_(stage), weight_(weight) {
  if (stage_ == nullptr) return;
  outer_ = std::exchange(current_timer, this);
  start_ = now();
}

StageTimer::~StageTimer() {
  if (stage_ == nullptr) return;
  const int64_t elapsed = now() - start_;
  stage_->busy_nanoseconds.fetch_add(weight_ * (elapsed - inner_),
                                     std::memory_order_relaxed);
  current_timer = outer_;
  if (outer_ != nullptr) outer_->inner_ += weight_ * elapsed;
}

PipelineRun::PipelineRun(const Options& options)
    : options_(options), start_(now()) {}

int64_t PipelineRun::memory_limit(MemoryUse use) const {
  std::call_once(measured_, [this] {
    ram_budget_ =
        options_.autotune.ram_budget.value_or(most_available_memory() / 2);
  });
  const int64_t ahead = ram_budget_ / 4;
  return use == MemoryUse::ahead ? ahead : ram_budget_ - ahead;
}

std::shared_ptr<StageCounters> PipelineRun::stage(const void* node,
                                                  const std::string& name,
                                                  const std::string& maker,
                                                  uint64_t place) {
  std::lock_guard lock(mutex_);
  if (auto stage = find(node, name, place)) return stage;
  stages_.push_back(std::make_shared<StageCounters>());
  stages_.back()->name = name;
  stages_.back()->node = node;
  stages_.back()->place = place;
  if (!maker.empty()) stages_.back()->maker = find(node, maker, 0);
  return stages_.back();
}

// Called with the mutex.
std::shared_ptr<StageCounters> PipelineRun::find(const void* node,
                                                 const std::string& name,
                                                 uint64_t place) const {
  for (const std::shared_ptr<StageCounters>& stage : stages_) {
    if (stage->node == node && stage->place == place && stage->name == name) {
      return stage;
    }
  }
  return nullptr;
}

PipelineReport PipelineRun::report() const {
  PipelineReport report;
  report.seconds = seconds(now() - start_);
  std::lock_guard lock(mutex_);
  for (const std::shared_ptr<StageCounters>& stage : stages_) {
    const int64_t readers = stage->maker ? stage->maker->threads.load() : 1;
    report.stages.push_back({.name = stage->name,
                             .busy_seconds = seconds(stage->busy_nanoseconds),
                             .threads = stage->threads * readers,
                             .buffer = stage->buffer,
                             .tuned = stage->tuned});
  }
  return report;
}

const StageReport* PipelineReport::slowest() const {
  const StageReport* slowest = nullptr;
  double most = 0;
  for (const StageReport& stage : stages) {
    const double each = stage.busy_seconds / static_cast<double>(stage.threads);
    if (each > most) slowest = &stage;
    most = std::max(most, each);
  }
  return slowest;
}

std::string PipelineReport::slowest_text() const {
  const StageReport* const stage = slowest();
  if (stage == nullptr) return "";
  return stage->name + " is the slowest stage (" + busy_text(*stage, seconds) +
         ")";
}

std::string PipelineReport::choices_text() const {
  std::string text;
  for (const StageReport& stage : stages) {
    if (!stage.tuned) continue;
    if (!text.empty()) text += ", ";
    text += stage.name + ": " + size_text(stage);
  }
  return text;
}

std::string PipelineReport::to_string() const {
  std::string text;
  for (const StageReport& stage : stages) {
    if (!text.empty()) text += '\n';
    text += stage.name + ": " +
            (stage.buffer > 0 ? size_text(stage) : busy_text(stage, seconds));
    if (stage.tuned) text += " (AUTOTUNE)";
  }
  return text;
}

std::ostream& operator<<(std::ostream& out, const PipelineReport& report) {
  return out << report.to_string();
}

MemoryHold::MemoryHold(std::shared_ptr<PipelineRun> run, MemoryUse use,
                       std::string who)
    : run_(std::move(run)), use_(use), who_(std::move(who)) {}

MemoryHold::~MemoryHold() {
  if (run_) run_->held_[static_cast<size_t>(use_)] -= bytes_;
}

void MemoryHold::add(int64_t bytes) {
  if (!run_ || bytes == 0) return;
  bytes_ += bytes;
  const int64_t held = run_->held_[static_cast<size_t>(use_)] += bytes;
  if (bytes > 0 && use_ == MemoryUse::kept && held > run_->memory_limit(use_)) {
    exceeded_ = held;
    throw_full();
  }
}

bool MemoryHold::has_room(int64_t bytes) const {
  return !run_ || run_->memory_held(use_) + bytes <= run_->memory_limit(use_);
}

void MemoryHold::throw_full() const {
  internal::Message(who_)
      .expected("its elements to take at most ", run_->memory_limit(use_),
                " bytes, three quarters of the RAM budget")
      .got(exceeded_, " bytes")
      .hint(
          "a smaller buffer, smaller elements (decode behind shuffle, file "
          "names in place of pictures), a cache in a file, or "
          "with_options({.autotune = {.ram_budget = ...}})")
      .raise<ResourceExhaustedError>();
}

}  // namespace systolic::data
