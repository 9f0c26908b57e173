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
  // As many are tried for work that computes.
  int most_tried = 1;
};

// Throws ValueError naming `who` for a num_parallel_calls of 0 or below
// AUTOTUNE.
void check_parallel_calls(const std::string& who, int64_t num_parallel_calls);
// What errors about states say of num_parallel_calls: a pass by threads has
// another state than one without.
std::string calls_text(int64_t num_parallel_calls);
// The threads for num_parallel_calls in a pipeline with the context's options.
// AUTOTUNE starts with one per hardware thread of its budget.
ThreadRange thread_range(const IteratorContext& context,
                         int64_t num_parallel_calls);

// Decides how many threads a stage has, as long as the reader has to wait. Work
// that waits (for a disk, for the network) leaves hardware threads idle:
// threads are added until they would be busy. For work that computes twice as
// many are tried for some tenths of a second, and kept where results come
// faster: where other programs have a share of the hardware, more threads get
// more of it.
class ThreadTuner {
 public:
  explicit ThreadTuner(const ThreadRange& range)
      : range_(range), chosen_(range.first), threads_(range.first) {}

  // Work that took `elapsed` nanoseconds, of which `busy` on a hardware thread;
  // called by any thread.
  void add_work(int64_t elapsed, int64_t busy);
  // The reader waited for results; called by one thread at a time. Returns how
  // many threads there should be now.
  int threads_after_wait();
  // The reader took results of so many elements at `now`, in nanoseconds, and
  // perhaps had to wait; called by the same thread. May change threads().
  void add_results(int64_t elements, bool waited, int64_t now);
  // How many may work now: those that are chosen, or tried.
  int threads() const { return threads_; }
  int chosen() const { return chosen_; }
  // Whether the number may change.
  bool is_tuned() const { return range_.most > range_.first; }

 private:
  // Results in a time.
  struct Rate {
    int64_t elements = 0;
    int64_t nanoseconds = 0;

    double value() const;
  };

  void begin_trial(int64_t now);
  void end_trial(int64_t now);

  const ThreadRange range_;
  int chosen_;
  int threads_;
  int waits_ = 0;
  // A trial: windows with the chosen threads and with twice as many, in turn.
  int64_t window_start_ = 0;  // 0 before the first result
  Rate window_;
  bool window_waited_ = false;
  int windows_ = 0;  // that are complete
  Rate with_chosen_;
  Rate with_more_;
  int64_t pause_ = 0;  // from a trial that failed to the next
  std::atomic<int64_t> elapsed_ = 0;
  std::atomic<int64_t> busy_ = 0;
};

// What this thread has used up to now.
struct ThreadUsage {
  int64_t cpu = 0;    // nanoseconds on a hardware thread
  int64_t waits = 0;  // how often it gave up its hardware thread by itself

  static ThreadUsage now();
};

// Tells a tuner what one thread's pieces of work took, some of them at once,
// and measures some of the short ones. The time in which the thread could have
// gone on, but others had the hardware, is left out: it is neither work nor
// waiting.
class WorkMeter {
 public:
  // Made by the thread that works.
  explicit WorkMeter(ThreadTuner& tuner);

  // A piece of work begins, and ends after `elapsed` nanoseconds.
  void begin();
  void end(int64_t elapsed);

 private:
  static constexpr int64_t kLongWork = 400'000;  // nanoseconds

  ThreadTuner& tuner_;
  bool measures_ = false;  // this piece
  ThreadUsage before_;
  int64_t calls_ = 0;
  int64_t last_ = kLongWork;  // what the last piece took
  // Since the tuner was told last.
  int64_t all_ = 0;       // of all pieces
  int64_t measured_ = 0;  // of those that were measured
  int64_t busy_ = 0;      // of these, on a hardware thread
  int64_t delay_ = 0;     // of the thread, by then
};

}  // namespace systolic::data::detail
