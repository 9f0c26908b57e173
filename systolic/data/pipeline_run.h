// What the iterators of one pass over a whole pipeline share: its options, its
// memory budget, and what its stages did.
//   MemoryHold hold(context.run, MemoryUse::kept, "shuffle");
//   hold.add(element.nbytes());
#pragma once

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "systolic/data/pipeline_options.h"

namespace systolic::data {

// What one stage of a pipeline did; written by several threads.
struct StageCounters {
  std::string name;
  const void* node = nullptr;  // whose they are, or whose functions' data sets'
  uint64_t place = 0;          // which of the nodes of these
  std::shared_ptr<const StageCounters> maker;  // whose threads all read it
  std::atomic<int64_t> busy_nanoseconds = 0;   // without stages inside of it
  std::atomic<int64_t> elements = 0;
  std::atomic<int64_t> threads = 1;  // that can be busy at once
  std::atomic<int64_t> buffer = 0;   // elements that may wait to be read
  std::atomic<bool> tuned = false;   // by AUTOTUNE
};

// One stage of a pipeline in a report.
struct StageReport {
  // The node's name, such as `map "decode"`.
  std::string name;
  // The time that its threads worked, without that of other stages.
  double busy_seconds = 0;
  int64_t threads = 1;
  // Elements that may wait to be read: of prefetch, else 0.
  int64_t buffer = 0;
  // Whether AUTOTUNE chose its threads or its buffer.
  bool tuned = false;
};

// What the stages of a pipeline have done since its iterator was made.
struct PipelineReport {
  double seconds = 0;
  std::vector<StageReport> stages;

  // The stage that limits the others: it was busy the longest on each of its
  // threads. Null where nothing took time.
  const StageReport* slowest() const;
  // `map "decode" is the slowest stage (busy 97% on 2 threads)`, or nothing.
  std::string slowest_text() const;
  // "map: 16 threads, prefetch: 8 elements": what AUTOTUNE chose, or nothing.
  std::string choices_text() const;
  // A line for each stage.
  std::string to_string() const;
};

// Writes to_string().
std::ostream& operator<<(std::ostream& out, const PipelineReport& report);

// Measures the time of one stage in this thread, from its construction on; the
// time of timers inside of it is theirs. Without a stage it does nothing.
class StageTimer {
 public:
  // `weight`: how many equal pieces of work the measured one stands for.
  explicit StageTimer(StageCounters* stage, int64_t weight = 1);
  ~StageTimer();
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  StageCounters* const stage_;
  const int64_t weight_;
  StageTimer* outer_ = nullptr;
  int64_t start_ = 0;
  int64_t inner_ = 0;
};

// Measures some of many short pieces of work, so that the clock costs little.
class StageSampler {
 public:
  static constexpr int64_t kEach = 16;

  // The stage in one of kEach calls, else null.
  StageCounters* pick(StageCounters* stage) {
    return ++calls_ % kEach == 0 ? stage : nullptr;
  }

 private:
  int64_t calls_ = 0;
};

// Why elements are in memory: made ahead of the reader, or because a transform
// needs them all.
enum class MemoryUse : uint8_t { ahead, kept };

// Made by data::Iterator for each pass; its calls may come from any thread.
class PipelineRun {
 public:
  explicit PipelineRun(const Options& options);

  const Options& options() const { return options_; }
  // The bytes for one use: see AutotuneOptions::ram_budget.
  int64_t memory_limit(MemoryUse use) const;
  // The bytes held now.
  int64_t memory_held(MemoryUse use) const {
    return held_[static_cast<size_t>(use)].load(std::memory_order_relaxed);
  }
  // The counters of a node, or of all nodes of that name and place in the data
  // sets that the functions of `node`, which is called `maker`, make; made at
  // the first call.
  std::shared_ptr<StageCounters> stage(const void* node,
                                       const std::string& name,
                                       const std::string& maker = "",
                                       uint64_t place = 0);
  // What the stages did up to now, in the order in which they were made.
  PipelineReport report() const;

  // A node gives elements in the order in which threads end: what was read can
  // not be read again, so a state has to hold it.
  void note_lost_order() { loses_order_ = true; }
  bool loses_order() const { return loses_order_; }

 private:
  friend class MemoryHold;

  std::shared_ptr<StageCounters> find(const void* node, const std::string& name,
                                      uint64_t place) const;

  const Options options_;
  const int64_t start_;  // in nanoseconds
  mutable std::once_flag measured_;
  mutable int64_t ram_budget_ = 0;
  std::atomic<int64_t> held_[2] = {0, 0};
  std::atomic<bool> loses_order_ = false;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<StageCounters>> stages_;
};

// Bytes that one buffer holds; given back by the destructor. Used by one thread
// at a time. Without a run nothing is counted and all is allowed.
class MemoryHold {
 public:
  // `who` is what errors call the buffer's node.
  MemoryHold(std::shared_ptr<PipelineRun> run, MemoryUse use, std::string who);
  ~MemoryHold();
  MemoryHold(const MemoryHold&) = delete;
  MemoryHold& operator=(const MemoryHold&) = delete;

  // Adds bytes, or gives them back when negative. Throws
  // ResourceExhaustedError when kept elements take more than their part of the
  // budget.
  void add(int64_t bytes);
  // Throws as add() did, if it did.
  void require_room() const {
    if (exceeded_ > 0) throw_full();
  }
  // The same by the bytes that there are now; small changes may wait.
  void set(int64_t bytes) {
    if (bytes - bytes_ >= kGrain || bytes_ - bytes >= kGrain || bytes == 0) {
      add(bytes - bytes_);
    }
  }
  // Whether as many more stay within the budget.
  bool has_room(int64_t bytes) const;

 private:
  static constexpr int64_t kGrain = 64 << 10;

  [[noreturn]] void throw_full() const;

  const std::shared_ptr<PipelineRun> run_;
  const MemoryUse use_;
  const std::string who_;
  int64_t bytes_ = 0;
  int64_t exceeded_ = 0;  // bytes that were held together, when too many
};

}  // namespace systolic::data
