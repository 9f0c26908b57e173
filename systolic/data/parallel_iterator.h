// Runs work on an input's elements in several threads and hands the results
// out in the input's order; map and batch are made of it.
//   ParallelIterator it(input, context, {.threads = {4}}, work);
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "systolic/data/batch_rows.h"
#include "systolic/data/dataset_base.h"
#include "systolic/data/thread_tuner.h"

namespace systolic::data::detail {

// A result, or the exception that stands in its place.
struct ParallelResult {
  Element element;
  std::exception_ptr error;
};

// What one thread takes from the input at once, and what it makes of it.
struct ParallelChunk {
  int64_t first_index = 0;  // of inputs[0] in the input's pass
  std::vector<Element> inputs;
  std::exception_ptr error;  // of the input, in place of a next element
  std::vector<ParallelResult> results;
};

struct ParallelOptions {
  std::string name = {};  // of the node
  std::shared_ptr<StageCounters> stage = {};
  ThreadRange threads = {};
  // How many elements a thread takes at once; 0 lets the time that they need
  // decide, so that locks cost little and slow elements spread well.
  int64_t chunk = 0;
  bool deterministic = true;
};

// Threads start with the first call of get_next and are joined by the
// destructor. At most 2 * threads chunks wait to be read, fewer where they are
// large, and four times as many where the reader stacks them: it then takes
// many at once. Where AUTOTUNE chooses the threads, the reader does the work
// itself until it is more than handing it to a thread would be.
class ParallelIterator final : public IteratorBase {
 public:
  // Turns a chunk's inputs into results, outside of all locks; it looks at the
  // token between elements and may then leave the rest out. Must not throw.
  using Work = std::function<void(ParallelChunk&, const std::stop_token&)>;

  // `make_input` is called with the context that the input gets.
  ParallelIterator(const DatasetBase& input, const IteratorContext& context,
                   const ParallelOptions& options, Work work);
  ~ParallelIterator() override;

  bool get_next(Element* out) override;
  bool is_at_hand() const override { return position_ < current_.size(); }
  // Where each element has one result and the order is kept, the threads put
  // results to their places in the batch's memory.
  void begin_batch(int64_t rows) override;
  void save(StateWriter& state) override;
  void restore(StateReader& state) override;

 private:
  struct Slot {
    ParallelChunk chunk;
    int64_t bytes = 0;  // of the results; of those before, until it is ready
    bool ready = false;
  };
  using SlotPosition = std::list<Slot>::iterator;
  class Pause;

  bool is_wanted(int index, const std::stop_token& stop);
  void run_worker(int index);
  bool reserve_slot(SlotPosition* slot);
  void pull(ParallelChunk* chunk);
  void work_on(ParallelChunk* chunk, const std::stop_token& stop,
               WorkMeter* meter);
  void adapt_chunk(int64_t nanoseconds, int64_t bytes);
  // Whether a result's place in its batch follows from its index.
  bool has_places() const {
    return options_.chunk == 0 && options_.deterministic;
  }
  void land(ParallelChunk* chunk);
  bool take_results();
  bool work_here();
  void measure(int64_t elements, int64_t nanoseconds);
  void start_threads();
  void tune(int64_t elements, bool waited);
  SlotPosition find_ready();
  size_t most_slots() const;
  bool has_space() const;
  bool has_enough();

  const ParallelOptions options_;
  const Work work_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> chain_;
  std::unique_ptr<IteratorBase> input_;  // guarded by pull_mutex_
  std::mutex pull_mutex_;
  int64_t pulled_ = 0;  // guarded by pull_mutex_
  std::atomic<int64_t> chunk_size_;
  ThreadTuner tuner_;
  const std::shared_ptr<StageCounters> stage_;
  const std::shared_ptr<StageCounters> input_stage_;
  StageCounters waits_;  // takes the reader's waiting from its stage's time
  BatchRows rows_;

  std::mutex mutex_;  // guards what follows, up to the threads
  std::condition_variable_any space_;
  std::condition_variable_any parked_;  // threads that are not wanted now
  std::condition_variable_any ready_;
  std::list<Slot> slots_;   // in the input's order
  MemoryHold memory_;       // of the results in the slots
  int64_t slot_bytes_ = 0;  // of the slot that was ready last
  bool ended_ = false;      // nothing more comes from the input
  bool paused_ = false;     // the reader saves
  bool held_up_ = false;    // a thread waits for space
  int64_t stacked_ = 0;     // results that the reader's batch still lacks

  std::vector<std::thread> threads_;  // the reader's own, as all below
  bool works_here_ = false;           // no threads yet: the work is light
  int64_t here_ = 0;                  // chunks that were worked on here
  int heavy_in_a_row_ = 0;            // measurements
  int64_t measured_elements_ = 0;
  int64_t measured_nanoseconds_ = 0;
  std::vector<ParallelResult> current_;
  size_t position_ = 0;
  int64_t given_ = 0;  // results in this pass
};

}  // namespace systolic::data::detail
