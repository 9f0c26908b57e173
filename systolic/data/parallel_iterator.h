// Runs work on an input's elements in several threads and hands the results
// out in the input's order; map and batch are made of it.
//   ParallelIterator it(input, context, {.threads = 4}, work);
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
#include <thread>
#include <vector>

#include "systolic/data/dataset_base.h"

namespace systolic::data::detail {

// The number of threads for `num_parallel_calls`: AUTOTUNE is one per
// hardware thread. Throws ValueError naming `who` for 0 or below AUTOTUNE.
int thread_count(const std::string& who, int64_t num_parallel_calls);

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
  int threads = 1;
  // How many elements a thread takes at once; 0 lets the time that they need
  // decide, so that locks cost little and slow elements spread well.
  int64_t chunk = 0;
  bool deterministic = true;
};

// Threads start with the first call of get_next and are joined by the
// destructor. At most 2 * threads chunks wait to be read.
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

 private:
  struct Slot {
    ParallelChunk chunk;
    bool ready = false;
  };
  using SlotPosition = std::list<Slot>::iterator;

  void run_worker();
  bool reserve_slot(SlotPosition* slot);
  void pull(ParallelChunk* chunk);
  void adapt_chunk(int64_t nanoseconds);
  bool take_results();
  SlotPosition find_ready();

  const ParallelOptions options_;
  const Work work_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> chain_;
  std::unique_ptr<IteratorBase> input_;  // guarded by pull_mutex_
  std::mutex pull_mutex_;
  int64_t pulled_ = 0;  // guarded by pull_mutex_
  std::atomic<int64_t> chunk_size_;

  std::mutex mutex_;  // guards what follows, up to the threads
  std::condition_variable_any space_;
  std::condition_variable_any ready_;
  std::list<Slot> slots_;  // in the input's order
  bool ended_ = false;     // nothing more comes from the input

  std::vector<std::thread> threads_;
  std::vector<ParallelResult> current_;  // the reader's own
  size_t position_ = 0;
};

}  // namespace systolic::data::detail
