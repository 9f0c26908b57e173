// Reads a cycle of data sets (cycle.h) in several threads, ahead of the
// reader, and hands the elements out in the order of a cycle that is read by
// one thread; or, where that does not matter, as they come.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "systolic/data/cycle.h"
#include "systolic/data/thread_tuner.h"

namespace systolic::data::detail {

// Threads start with the first call of get_next and are joined by the
// destructor; with AUTOTUNE there are more where reading waits. No more than
// cycle_length data sets are open at once, and of each some elements, 256 KiB
// at most and fewer where the RAM budget is used up, wait to be read.
class ParallelCycleIterator final : public IteratorBase {
 public:
  // `input` and `settings` outlive the iterator.
  ParallelCycleIterator(const CycleSettings& settings, const DatasetBase& input,
                        const IteratorContext& context);
  ~ParallelCycleIterator() override;

  bool get_next(Element* out) override;
  bool is_at_hand() const override { return !current_.empty(); }
  void save(StateWriter& state) override;
  void restore(StateReader& state) override;

 private:
  enum class Stage : uint8_t {
    empty,   // no data set
    chosen,  // gets the next of the input's elements
    open,    // can be read
  };
  // An element, an exception in its place, or the end of a place's data set,
  // which may be an exception too.
  struct Entry {
    Element element;
    std::exception_ptr error;
    bool is_end = false;
    int64_t bytes = 0;
  };
  struct Slot {
    CyclePlace place;  // of the thread that has `busy`
    Stage stage = Stage::empty;
    bool busy = false;
    std::deque<Entry> entries;
    int64_t bytes = 0;    // of the entries
    int64_t turns = 0;    // whose entries are all here
    int64_t in_turn = 0;  // entries of the turn after those
  };
  class Pause;

  void start_threads();
  void run_worker();
  bool work(std::unique_lock<std::mutex>& lock, WorkMeter& meter);
  void choose_slots();
  bool can_fill(const Slot& slot) const;
  bool is_awaited(const Slot& slot) const;
  Slot* slot_to_fill();
  void wake_workers();
  void open_next(std::unique_lock<std::mutex>& lock);
  void fill(Slot& slot, std::unique_lock<std::mutex>& lock, WorkMeter& meter);
  std::vector<Entry> read_chunk(Slot& slot, int64_t most_bytes,
                                WorkMeter& meter);
  void add_entry(Slot& slot, Entry entry);
  bool take_entries();
  bool take_ready();
  bool take_from(Slot& slot);
  bool is_over() const;

  const CycleSettings& settings_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> chain_;
  const IteratorContext context_;
  PassSeed::Pass pass_;
  const bool deterministic_;
  ThreadTuner tuner_;  // the reader's, but for what work it is told
  const std::shared_ptr<StageCounters> stage_;
  StageCounters waits_;  // takes the reader's waiting from its stage's time
  std::unique_ptr<IteratorBase> input_;  // of the thread that is `pulling_`

  std::mutex mutex_;  // guards what follows, up to the threads
  std::condition_variable_any wanted_;  // there may be work
  std::condition_variable_any ready_;   // there may be entries, or no workers
  std::vector<Slot> slots_;
  std::deque<size_t> chosen_;  // slots in the order of the input's elements
  int64_t next_turn_ = 0;      // the first whose slot is not chosen
  int64_t index_ = 0;          // of the input's next element
  bool input_ended_ = false;
  bool pulling_ = false;
  bool paused_ = false;
  int active_ = 0;             // workers that hold a slot or the input
  MemoryHold memory_;          // of what waits, is read, and is the reader's
  int64_t chunk_bytes_ = 0;    // of the chunk that was read last
  int64_t waiting_ = 0;        // entries in all slots
  size_t turn_ = 0;            // the reader's slot
  int64_t given_ = 0;          // to the reader in this turn
  int64_t current_bytes_ = 0;  // of the reader's own when it took them

  std::deque<Entry> current_;  // the reader's own
  std::vector<std::thread> threads_;
};

}  // namespace systolic::data::detail
