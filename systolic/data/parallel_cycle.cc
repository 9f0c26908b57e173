// Tested by: systolic/data/interleave_test.cc
#include "systolic/data/parallel_cycle.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "systolic/base/trace.h"
#include "systolic/data/element_buffer.h"

namespace systolic::data::detail {
namespace {

// How much of one data set is read before its thread looks for other work,
// and how much waits for the reader: few enough bytes of all data sets for the
// hardware's caches.
constexpr size_t kChunkElements = 64;
constexpr auto kChunkTime = std::chrono::microseconds(500);
constexpr size_t kSlotElements = 2 * kChunkElements;
constexpr int64_t kSlotBytes = int64_t{1} << 18;
// Entries that the reader takes under one lock.
constexpr size_t kTaken = 256;
// AUTOTUNE's threads, however long the cycle is: each holds elements.
constexpr int kMostReaders = 64;

ThreadRange reader_range(const CycleSettings& settings,
                         const IteratorContext& context) {
  ThreadRange range = thread_range(context, settings.num_parallel_calls);
  if (settings.num_parallel_calls == AUTOTUNE) {
    range.most = std::min(range.most, kMostReaders);
  }
  range.most =
      static_cast<int>(std::min<int64_t>(range.most, settings.cycle_length));
  range.first = settings.waits ? range.most : std::min(range.first, range.most);
  return range;
}

}  // namespace

// Keeps the workers from the slots and the input for as long as it lives: what
// they have begun is finished.
class ParallelCycleIterator::Pause {
 public:
  explicit Pause(ParallelCycleIterator& iterator) : iterator_(iterator) {
    std::unique_lock lock(iterator_.mutex_);
    iterator_.paused_ = true;
    iterator_.ready_.wait(lock, [&] { return iterator_.active_ == 0; });
  }
  ~Pause() {
    {
      std::lock_guard lock(iterator_.mutex_);
      iterator_.paused_ = false;
    }
    iterator_.wanted_.notify_all();
  }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  ParallelCycleIterator& iterator_;
};

ParallelCycleIterator::ParallelCycleIterator(const CycleSettings& settings,
                                             const DatasetBase& input,
                                             const IteratorContext& context)
    : settings_(settings),
      chain_(context.stop, [this] { stop_.request_stop(); }),
      context_(context.with_stop(stop_.get_token())),
      pass_(begin_pass(settings, context)),
      deterministic_(context.is_deterministic(settings.deterministic)),
      tuner_(reader_range(settings, context)),
      stage_(context.stage(*settings.node)),
      input_(input.make_iterator(context_)),
      slots_(static_cast<size_t>(settings.cycle_length)),
      memory_(context.run, MemoryUse::ahead, settings.who) {
  if (!stage_) return;
  stage_->threads = tuner_.threads();
  stage_->tuned = settings.num_parallel_calls == AUTOTUNE &&
                  context.options().autotune.enabled.value_or(true);
}

ParallelCycleIterator::~ParallelCycleIterator() {
  stop_.request_stop();
  for (std::thread& thread : threads_) thread.join();
}

bool ParallelCycleIterator::get_next(Element* out) {
  if (current_.empty()) {
    start_threads();
    if (!take_entries()) return false;
  }
  Entry entry = std::move(current_.front());
  current_.pop_front();
  if (entry.error) {
    // Its last reference goes with the reader.
    std::rethrow_exception(std::exchange(entry.error, nullptr));
  }
  *out = std::move(entry.element);
  return true;
}

void ParallelCycleIterator::start_threads() {
  const auto count = static_cast<size_t>(tuner_.threads());
  if (threads_.size() >= count) return;
  threads_.reserve(count);
  while (threads_.size() < count) {
    threads_.emplace_back([this] { run_worker(); });
  }
  if (stage_) stage_->threads = tuner_.threads();
}

// Waits for entries that are next in order and takes those that there are.
bool ParallelCycleIterator::take_entries() {
  bool waited = false;
  {
    const StageTimer timer(&waits_);
    std::unique_lock lock(mutex_);
    memory_.add(-std::exchange(current_bytes_, 0));
    const auto has_entries = [this] { return take_ready() || is_over(); };
    if (!has_entries()) {
      waited = true;
      wake_workers();
      ready_.wait(lock, stop_.get_token(), has_entries);
    }
    wake_workers();
  }
  if (waited && tuner_.is_tuned()) tuner_.threads_after_wait();
  return !current_.empty();
}

// Takes the entries that are next in order, if there are any.
bool ParallelCycleIterator::take_ready() {
  const size_t turn = turn_;
  const int64_t waiting = waiting_;
  size_t idle = 0;  // slots in a row that gave nothing
  while (current_.size() < kTaken && current_bytes_ < kSlotBytes &&
         idle < slots_.size()) {
    Slot& slot = slots_[turn_];
    const size_t before = slot.entries.size();
    const bool turn_over = take_from(slot);
    idle = slot.entries.size() < before ? 0 : idle + 1;
    if (!turn_over) break;
    turn_ = (turn_ + 1) % slots_.size();
    given_ = 0;
  }
  // The slot that is awaited now is read whatever the budget: another one, or
  // the same after the end of what it had.
  if (current_.empty() && (turn_ != turn || waiting_ != waiting)) {
    wanted_.notify_all();
  }
  return !current_.empty();
}

// Wakes as many workers as there are slots to read.
void ParallelCycleIterator::wake_workers() {
  choose_slots();
  if (!chosen_.empty()) return wanted_.notify_all();
  for (const Slot& slot : slots_) {
    if (can_fill(slot)) wanted_.notify_one();
  }
}

// Whether the slot is open, nobody reads it, and there is room for so much of
// it that to wake a thread is worth while.
bool ParallelCycleIterator::can_fill(const Slot& slot) const {
  return slot.stage == Stage::open && !slot.busy &&
         slot.entries.size() + kChunkElements <= kSlotElements &&
         slot.bytes <= kSlotBytes / 2 &&
         (memory_.has_room(chunk_bytes_) || is_awaited(slot));
}

// Whether the reader cannot go on without the slot.
bool ParallelCycleIterator::is_awaited(const Slot& slot) const {
  if (!deterministic_) return waiting_ == 0;
  return slot.entries.empty() && &slot == &slots_[turn_];
}

// Takes the entries of the slot's turn; whether the next slot's turn has come.
bool ParallelCycleIterator::take_from(Slot& slot) {
  while (!slot.entries.empty() && current_bytes_ < kSlotBytes) {
    Entry entry = std::move(slot.entries.front());
    slot.entries.pop_front();
    --waiting_;
    slot.bytes -= entry.bytes;
    current_bytes_ += entry.bytes;
    const bool is_end = entry.is_end;
    if (!is_end || entry.error) current_.push_back(std::move(entry));
    if (is_end || ++given_ == settings_.block_length) return true;
  }
  if (!slot.entries.empty()) return false;
  // Nothing comes from it any more, or others need not wait for it.
  const bool over = input_ended_ && slot.stage == Stage::empty;
  return over || !deterministic_;
}

bool ParallelCycleIterator::is_over() const {
  return input_ended_ &&
         std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
           return slot.stage == Stage::empty && slot.entries.empty();
         });
}

void ParallelCycleIterator::run_worker() {
  internal::name_trace_thread("interleave");
  const std::stop_token stop = stop_.get_token();
  WorkMeter meter(tuner_);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!paused_ && work(lock, meter)) continue;
    wanted_.wait(lock, stop, [this] {
      if (paused_) return false;
      choose_slots();
      return (!chosen_.empty() && !pulling_) || slot_to_fill() != nullptr;
    });
  }
}

// Does a piece of work, or returns false where there is none.
bool ParallelCycleIterator::work(std::unique_lock<std::mutex>& lock,
                                 WorkMeter& meter) {
  choose_slots();
  if (!chosen_.empty() && !pulling_) {
    open_next(lock);
    return true;
  }
  Slot* slot = slot_to_fill();
  if (slot == nullptr) return false;
  fill(*slot, lock, meter);
  return true;
}

// Chooses slots for the input's next elements in the order in which one thread
// would come to them: a slot that is empty when its turn comes gets the next
// one, and whether it is shows when its turn before has all its entries.
void ParallelCycleIterator::choose_slots() {
  const auto count = static_cast<int64_t>(slots_.size());
  const auto choose = [this](size_t position) {
    if (slots_[position].stage != Stage::empty) return;
    slots_[position].stage = Stage::chosen;
    chosen_.push_back(position);
  };
  if (!deterministic_) {
    for (size_t i = 0; i < slots_.size() && !input_ended_; ++i) choose(i);
    return;
  }
  while (!input_ended_) {
    const auto position = static_cast<size_t>(next_turn_ % count);
    const int64_t turns_before = next_turn_ / count;
    if (slots_[position].turns < turns_before) return;
    // With more turns than those, it was not empty in this one.
    if (slots_[position].turns == turns_before) choose(position);
    ++next_turn_;
  }
}

// The open slot with the fewest entries that nobody reads.
ParallelCycleIterator::Slot* ParallelCycleIterator::slot_to_fill() {
  Slot* best = nullptr;
  for (size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[(turn_ + i) % slots_.size()];
    if (!can_fill(slot)) continue;
    if (best == nullptr || slot.entries.size() < best->entries.size()) {
      best = &slot;
    }
  }
  return best;
}

// Opens the data set of the input's next element in the slot chosen first.
void ParallelCycleIterator::open_next(std::unique_lock<std::mutex>& lock) {
  Slot& slot = slots_[chosen_.front()];
  chosen_.pop_front();
  slot.busy = true;
  pulling_ = true;
  ++active_;
  const int64_t index = index_++;
  Element element;
  Entry failure{.is_end = true};
  bool got = false;
  const auto open = [&] {
    slot.place.open(settings_, pass_, std::move(element), index, context_);
  };
  lock.unlock();
  try {
    got = input_->get_next(&element);
    // In the input's order: passes of a data set that several places read
    // begin in it. What is slow to open opens with its first element.
    if (got && deterministic_) open();
  } catch (...) {
    failure.error = std::current_exception();
  }
  lock.lock();
  pulling_ = false;
  if (!got && !failure.error) input_ended_ = true;
  wanted_.notify_all();  // the input is free for the next one
  if (got && !deterministic_) {
    lock.unlock();
    try {
      open();
    } catch (...) {
      failure.error = std::current_exception();
    }
    lock.lock();
  }
  slot.stage = slot.place.is_open() ? Stage::open : Stage::empty;
  if (failure.error) add_entry(slot, std::move(failure));
  slot.busy = false;
  --active_;
  wanted_.notify_all();
  ready_.notify_all();
}

// Reads some elements of the slot's data set.
void ParallelCycleIterator::fill(Slot& slot, std::unique_lock<std::mutex>& lock,
                                 WorkMeter& meter) {
  slot.busy = true;
  ++active_;
  const bool has_room = memory_.has_room(chunk_bytes_);
  const int64_t expected = chunk_bytes_;
  const int64_t most = has_room ? kSlotBytes - slot.bytes : 1;
  memory_.add(expected);
  lock.unlock();
  std::vector<Entry> entries = read_chunk(slot, most, meter);
  // What a stopped input calls its end is none, but nobody reads it then.
  const bool ends = entries.back().is_end;
  if (ends) slot.place.close();
  lock.lock();
  chunk_bytes_ = 0;
  for (Entry& entry : entries) {
    chunk_bytes_ += entry.bytes;
    add_entry(slot, std::move(entry));
  }
  memory_.add(chunk_bytes_ - expected);
  slot.busy = false;
  --active_;
  // This worker goes on with what there is to do, unless that has become more.
  if (ends) wanted_.notify_all();
  ready_.notify_all();
}

// Elements up to about so many bytes, one at least, or an end.
std::vector<ParallelCycleIterator::Entry> ParallelCycleIterator::read_chunk(
    Slot& slot, int64_t most_bytes, WorkMeter& meter) {
  using Clock = std::chrono::steady_clock;
  const StageTimer timer(stage_.get());
  meter.begin();
  const Clock::time_point start = Clock::now();
  std::vector<Entry> entries;
  int64_t bytes = 0;
  while (entries.size() < kChunkElements && bytes < most_bytes) {
    Entry& entry = entries.emplace_back();
    try {
      entry.is_end = !slot.place.iterator->get_next(&entry.element);
    } catch (...) {
      entry.error = std::current_exception();
    }
    entry.bytes = held_bytes(entry.element);
    bytes += entry.bytes;
    if (entry.is_end || Clock::now() - start > kChunkTime) break;
  }
  meter.end((Clock::now() - start) / std::chrono::nanoseconds(1));
  return entries;
}

void ParallelCycleIterator::add_entry(Slot& slot, Entry entry) {
  if (entry.is_end) slot.stage = Stage::empty;
  if (entry.is_end || ++slot.in_turn == settings_.block_length) {
    ++slot.turns;
    slot.in_turn = 0;
  }
  slot.bytes += entry.bytes;
  slot.entries.push_back(std::move(entry));
  ++waiting_;
}

void ParallelCycleIterator::save(StateWriter& state) {
  state.keep(std::make_shared<Pause>(*this));
  state.begin(settings_.who);
  PassSeed::save(pass_, state);
  state.write_int(static_cast<int64_t>(turn_));
  state.write_int(given_);
  state.write_int(next_turn_);
  state.write_int(index_);
  state.write_bool(input_ended_);
  const auto write_entries = [&](const std::deque<Entry>& entries) {
    state.write_int(static_cast<int64_t>(entries.size()));
    for (const Entry& entry : entries) {
      state.write_bool(entry.is_end);
      state.write_bool(entry.error != nullptr);
      if (entry.error) {
        state.write_error(entry.error);
      } else {
        state.write_element(entry.element);
      }
    }
  };
  write_entries(current_);
  state.write_int(static_cast<int64_t>(chosen_.size()));
  for (const size_t slot : chosen_) {
    state.write_int(static_cast<int64_t>(slot));
  }
  input_->save(state);
  for (const Slot& slot : slots_) {
    state.write_int(static_cast<int64_t>(slot.stage));
    state.write_int(slot.turns);
    state.write_int(slot.in_turn);
    write_entries(slot.entries);
    slot.place.save(state);
  }
}

void ParallelCycleIterator::restore(StateReader& state) {
  state.expect(settings_.who);
  pass_ = PassSeed::restore_pass(state);
  turn_ = static_cast<size_t>(state.read_int()) % slots_.size();
  given_ = state.read_int();
  next_turn_ = state.read_int();
  index_ = state.read_int();
  input_ended_ = state.read_bool();
  const auto read_entries = [&](std::deque<Entry>* entries) {
    int64_t bytes = 0;
    for (int64_t left = state.read_int(); left > 0; --left) {
      Entry& entry = entries->emplace_back();
      entry.is_end = state.read_bool();
      if (state.read_bool()) {
        entry.error = state.read_error();
      } else {
        entry.element = state.read_element();
      }
      entry.bytes = held_bytes(entry.element);
      bytes += entry.bytes;
    }
    memory_.add(bytes);
    return bytes;
  };
  current_bytes_ = read_entries(&current_);
  for (int64_t left = state.read_int(); left > 0; --left) {
    chosen_.push_back(static_cast<size_t>(state.read_int()) % slots_.size());
  }
  input_->restore(state);
  for (Slot& slot : slots_) {
    slot.stage = static_cast<Stage>(state.read_int());
    slot.turns = state.read_int();
    slot.in_turn = state.read_int();
    slot.bytes = read_entries(&slot.entries);
    waiting_ += static_cast<int64_t>(slot.entries.size());
    slot.place.restore(state, settings_, pass_, context_);
  }
}

}  // namespace systolic::data::detail
