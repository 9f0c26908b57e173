// How many threads run a parallel transform: as many as asked for, or found
// out while they run.
//   ThreadRange range = thread_range(context, AUTOTUNE);
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "systolic/data/dataset_base.h"

namespace systolic::data::detail {

// The fewest and the most threads; AUTOTUNE chooses between them.
struct ThreadRange {
  int first = 1;
  int most = 1;
};

// Throws ValueError naming `who` for a num_parallel_calls of 0 or below
// AUTOTUNE.
void check_parallel_calls(const std::string& who, int64_t num_parallel_calls);
// The threads for num_parallel_calls in a pipeline with the context's options.
// AUTOTUNE starts with one per hardware thread of its budget.
ThreadRange thread_range(const IteratorContext& context,
                         int64_t num_parallel_calls);

// Decides how many threads a stage has. Work that waits (for a disk, for the
// network) leaves hardware threads idle: as long as the reader has to wait,
// threads are added until they would be busy.
class ThreadTuner {
 public:
  explicit ThreadTuner(const ThreadRange& range)
      : range_(range), threads_(range.first) {}

  // Work that took `elapsed` of wall time, of which `busy` on a hardware
  // thread; called by any thread.
  void add_work(int64_t elapsed, int64_t busy);
  // The reader waited for results; called by one thread at a time. Returns how
  // many threads there should be now.
  int threads_after_wait();
  // How many there should be.
  int threads() const { return threads_; }
  // Whether the number may change.
  bool is_tuned() const { return range_.most > range_.first; }

 private:
  const ThreadRange range_;
  int threads_;
  int waits_ = 0;
  std::atomic<int64_t> elapsed_ = 0;
  std::atomic<int64_t> busy_ = 0;
};

// What this thread has used up to now.
struct ThreadUsage {
  int64_t cpu = 0;    // nanoseconds on a hardware thread
  int64_t waits = 0;  // how often it gave up its hardware thread by itself

  static ThreadUsage now();
};

// The part of work from `start` to `end` that kept a hardware thread busy, or
// would have, were it not for other threads: all of it where it never waited.
int64_t busy_time(const ThreadUsage& start, const ThreadUsage& end,
                  int64_t elapsed);

}  // namespace systolic::data::detail
