#include "systolic/data/parallel_iterator.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "systolic/base/trace.h"
#include "systolic/data/element_buffer.h"

namespace systolic::data::detail {
namespace {

// A chunk's work should outweigh its locks (a few microseconds) and still be
// short, so that the threads share it evenly; and small enough for the caches
// of what reads it.
constexpr int64_t kShortChunkNanoseconds = 50'000;
constexpr int64_t kLongChunkNanoseconds = 400'000;
constexpr int64_t kLargestChunk = 256;
constexpr int64_t kLargestChunkBytes = 4 << 20;

// To hand a chunk to a thread and its results back costs less than this; what
// is measured before it is decided who works.
constexpr int64_t kHandingOver = 10'000;  // nanoseconds
constexpr int64_t kMeasuredElements = 64;
constexpr int64_t kMeasuredNanoseconds = 200'000;
// All of the first chunks are measured, later some: it takes microseconds.
constexpr int64_t kMeasuredFirst = 32;
constexpr int64_t kMeasuredEach = 16;
// What is slow once may have been held up by another program.
constexpr int kHeavyInARow = 2;

int64_t clock_nanoseconds() {
  return std::chrono::steady_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

}  // namespace

// Keeps the workers out of the input for as long as it lives: what they have
// begun is finished.
class ParallelIterator::Pause {
 public:
  explicit Pause(ParallelIterator& iterator) : iterator_(iterator) {
    std::unique_lock lock(iterator_.mutex_);
    iterator_.paused_ = true;
    iterator_.ready_.wait(lock, [&] {
      return std::all_of(iterator_.slots_.begin(), iterator_.slots_.end(),
                         [](const Slot& slot) { return slot.ready; });
    });
  }
  ~Pause() {
    {
      std::lock_guard lock(iterator_.mutex_);
      iterator_.paused_ = false;
    }
    iterator_.space_.notify_all();
  }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  ParallelIterator& iterator_;
};

ParallelIterator::ParallelIterator(const DatasetBase& input,
                                   const IteratorContext& context,
                                   const ParallelOptions& options, Work work)
    : options_(options),
      work_(std::move(work)),
      chain_(context.stop, [this] { stop_.request_stop(); }),
      input_(input.make_iterator(context.with_stop(stop_.get_token()))),
      chunk_size_(options.chunk > 0 ? options.chunk : 1),
      tuner_(options.threads),
      stage_(options.stage),
      input_stage_(context.stage(input)),
      memory_(context.run, MemoryUse::ahead, options.name) {
  works_here_ = tuner_.is_tuned();
  if (!stage_) return;
  stage_->threads = works_here_ ? 1 : options.threads.first;
  stage_->tuned = tuner_.is_tuned();
}

ParallelIterator::~ParallelIterator() {
  stop_.request_stop();
  for (std::thread& thread : threads_) thread.join();
}

bool ParallelIterator::get_next(Element* out) {
  while (position_ == current_.size()) {
    if (!take_results()) return false;
  }
  ParallelResult& result = current_[position_++];
  ++given_;
  if (result.error) {
    // Its last reference goes with the reader.
    std::rethrow_exception(std::exchange(result.error, nullptr));
  }
  *out = std::move(result.element);
  return true;
}

void ParallelIterator::begin_batch(int64_t rows) {
  if (works_here_) return;
  if (has_places()) rows_.begin_batch(given_, rows);
  {
    const std::lock_guard lock(mutex_);
    stacked_ = rows - static_cast<int64_t>(current_.size() - position_);
  }
  space_.notify_one();  // more may wait for the reader now
}

void ParallelIterator::start_threads() {
  const auto count = static_cast<size_t>(tuner_.threads());
  if (stage_) stage_->threads = tuner_.chosen();
  if (threads_.size() >= count) return;
  threads_.reserve(count);
  while (threads_.size() < count) {
    const auto index = static_cast<int>(threads_.size());
    threads_.emplace_back([this, index] { run_worker(index); });
  }
}

// Called with the mutex, by the reader that took `elements`.
void ParallelIterator::tune(int64_t elements, bool waited) {
  if (!tuner_.is_tuned()) return;
  const int before = tuner_.threads();
  if (waited) tuner_.threads_after_wait();
  tuner_.add_results(elements, waited, clock_nanoseconds());
  if (tuner_.threads() > before) parked_.notify_all();
}

// Does the next piece of work in the reader's thread; false at the end.
bool ParallelIterator::work_here() {
  if (ended_) return false;
  ParallelChunk chunk;
  const bool measures = here_++ < kMeasuredFirst || here_ % kMeasuredEach == 0;
  const int64_t start = clock_nanoseconds();
  const ThreadUsage before = measures ? ThreadUsage::now() : ThreadUsage();
  pull(&chunk);  // a thread would do that too
  const auto elements = static_cast<int64_t>(chunk.inputs.size());
  work_on(&chunk, stop_.get_token(), nullptr);
  if (measures) {
    const ThreadUsage after = ThreadUsage::now();
    // Time in which another thread had the hardware is none of the work's.
    measure(elements, after.waits == before.waits
                          ? after.cpu - before.cpu
                          : clock_nanoseconds() - start);
  }
  current_ = std::move(chunk.results);
  position_ = 0;
  return !current_.empty() || !stop_.stop_requested();
}

void ParallelIterator::measure(int64_t elements, int64_t nanoseconds) {
  measured_elements_ += elements;
  measured_nanoseconds_ += nanoseconds;
  if (measured_elements_ < kMeasuredElements &&
      measured_nanoseconds_ < kMeasuredNanoseconds) {
    return;
  }
  const int64_t handed = options_.chunk > 0 ? options_.chunk : kLargestChunk;
  const bool is_light =
      measured_nanoseconds_ * handed <= kHandingOver * measured_elements_;
  heavy_in_a_row_ = is_light ? 0 : heavy_in_a_row_ + 1;
  works_here_ = heavy_in_a_row_ < kHeavyInARow;
  measured_elements_ = 0;
  measured_nanoseconds_ = 0;
}

bool ParallelIterator::take_results() {
  if (works_here_) return work_here();
  start_threads();
  std::list<Slot> taken;
  bool waited = false;
  {
    std::unique_lock lock(mutex_);
    const auto has_results = [this] { return has_enough(); };
    if (!has_results()) {
      waited = true;
      const StageTimer timer(&waits_);
      if (!ready_.wait(lock, stop_.get_token(), has_results)) return false;
    }
    if (slots_.empty()) return false;
    int64_t results = 0;
    do {
      taken.splice(taken.end(), slots_, find_ready());
      memory_.add(-taken.back().bytes);
      results += static_cast<int64_t>(taken.back().chunk.results.size());
    } while (results < stacked_ && find_ready() != slots_.end());
    stacked_ = std::max<int64_t>(stacked_ - results, 0);
    tune(results, waited);
  }
  taken.size() > 1 ? space_.notify_all() : space_.notify_one();
  current_ = std::move(taken.front().chunk.results);
  taken.pop_front();
  for (Slot& slot : taken) {
    std::ranges::move(slot.chunk.results, std::back_inserter(current_));
  }
  position_ = 0;
  return true;
}

// Whether the reader has something to take, and for a batch so much that it is
// not woken for each result; called with the mutex.
bool ParallelIterator::has_enough() {
  if (ended_ && slots_.empty()) return true;
  auto slot = find_ready();
  if (slot == slots_.end()) return false;
  if (stacked_ <= 1 || ended_ || paused_ || held_up_) return true;
  size_t ready = 0;
  int64_t results = 0;
  for (; slot != slots_.end(); ++slot) {
    if (slot->ready) {
      ++ready;
      results += static_cast<int64_t>(slot->chunk.results.size());
    } else if (options_.deterministic) {
      break;
    }
  }
  return results >= stacked_ || 4 * ready >= 3 * most_slots();
}

ParallelIterator::SlotPosition ParallelIterator::find_ready() {
  if (options_.deterministic) {
    const bool first = !slots_.empty() && slots_.front().ready;
    return first ? slots_.begin() : slots_.end();
  }
  return std::find_if(slots_.begin(), slots_.end(),
                      [](const Slot& slot) { return slot.ready; });
}

// Waits while thread `index` is not wanted. Those that were only tried must not
// take turns with the others: to hand over the work takes longer than to go on
// with it. False when there is nothing to do any more.
bool ParallelIterator::is_wanted(int index, const std::stop_token& stop) {
  if (!tuner_.is_tuned()) return true;
  std::unique_lock lock(mutex_);
  return parked_.wait(lock, stop, [&] { return index < tuner_.threads(); });
}

void ParallelIterator::run_worker(int index) {
  internal::name_trace_thread("parallel map");
  const std::stop_token stop = stop_.get_token();
  WorkMeter meter(tuner_);
  while (is_wanted(index, stop) && !stop.stop_requested()) {
    SlotPosition slot;
    ParallelChunk chunk;
    {
      std::lock_guard pulling(pull_mutex_);
      if (!reserve_slot(&slot)) return;
      pull(&chunk);
    }
    work_on(&chunk, stop, &meter);
    int64_t bytes = 0;
    for (const ParallelResult& result : chunk.results) {
      bytes += held_bytes(result.element);
    }
    if (has_places()) land(&chunk);
    bool tell = false;
    {
      std::lock_guard lock(mutex_);
      slot->chunk = std::move(chunk);
      memory_.add(bytes - slot->bytes);
      slot->bytes = bytes;
      slot->ready = true;
      slot_bytes_ = bytes;
      tell = paused_ || has_enough();
    }
    if (tell) ready_.notify_one();
  }
}

// `meter`: of a thread that does nothing else, or null.
void ParallelIterator::work_on(ParallelChunk* chunk,
                               const std::stop_token& stop, WorkMeter* meter) {
  using Clock = std::chrono::steady_clock;
  if (meter != nullptr) meter->begin();
  const Clock::time_point start = Clock::now();
  if (!chunk->inputs.empty()) {
    internal::TraceScope scope("parallel calls");
    scope.note("elements", static_cast<int64_t>(chunk->inputs.size()));
    const StageTimer timer(stage_.get());
    work_(*chunk, stop);
  }
  if (chunk->error) {
    chunk->results.push_back({Element(), std::exchange(chunk->error, nullptr)});
  }
  const int64_t elapsed = (Clock::now() - start) / std::chrono::nanoseconds(1);
  if (meter != nullptr) meter->end(elapsed);
  if (options_.chunk == 0 && !chunk->results.empty()) {
    adapt_chunk(elapsed, held_bytes(chunk->results[0].element));
  }
  chunk->inputs.clear();
}

// Results to their places in the batch that the reader makes.
void ParallelIterator::land(ParallelChunk* chunk) {
  for (size_t i = 0; i < chunk->results.size(); ++i) {
    ParallelResult& result = chunk->results[i];
    if (result.error) continue;
    rows_.land(chunk->first_index + static_cast<int64_t>(i), &result.element);
  }
}

// Called with the mutex. For a batch so many that the reader, which is woken
// for most of them at once, takes little of the threads' time.
size_t ParallelIterator::most_slots() const {
  return (stacked_ > 1 ? 8 : 2) * static_cast<size_t>(tuner_.threads());
}

// Called with the mutex.
bool ParallelIterator::has_space() const {
  if (slots_.size() >= most_slots()) return false;
  // One chunk is always made, and none beyond the budget.
  return slots_.empty() || memory_.has_room(slot_bytes_);
}

// Waits for a free place in the queue; false when there is nothing to do.
bool ParallelIterator::reserve_slot(SlotPosition* slot) {
  std::unique_lock lock(mutex_);
  const auto has_place = [&] { return ended_ || (!paused_ && has_space()); };
  // The reader may wait for more than there can be. Space comes by what it
  // takes, or unseen, from other stages: until then it waits for less.
  held_up_ = !has_place();
  if (held_up_) ready_.notify_one();
  const bool woken = space_.wait(lock, stop_.get_token(), has_place);
  held_up_ = false;
  if (!woken || ended_) return false;
  *slot = slots_.emplace(slots_.end());
  (*slot)->bytes = slot_bytes_;
  memory_.add(slot_bytes_);
  return true;
}

// Takes the next chunk from the input, up to an exception or the end.
void ParallelIterator::pull(ParallelChunk* chunk) {
  const StageTimer timer(input_stage_.get());
  const int64_t size = chunk_size_.load(std::memory_order_relaxed);
  chunk->first_index = pulled_;
  chunk->inputs.reserve(static_cast<size_t>(std::min(size, kLargestChunk)));
  try {
    Element element;
    while (static_cast<int64_t>(chunk->inputs.size()) < size &&
           !stop_.stop_requested()) {
      if (!input_->get_next(&element)) {
        std::lock_guard lock(mutex_);
        ended_ = true;
        break;
      }
      chunk->inputs.push_back(std::move(element));
    }
  } catch (...) {
    chunk->error = std::current_exception();
  }
  pulled_ +=
      static_cast<int64_t>(chunk->inputs.size()) + (chunk->error ? 1 : 0);
}

// `bytes`: of one result.
void ParallelIterator::adapt_chunk(int64_t nanoseconds, int64_t bytes) {
  const int64_t size = chunk_size_.load(std::memory_order_relaxed);
  int64_t next = size;
  if (nanoseconds < kShortChunkNanoseconds &&
      2 * size * bytes <= kLargestChunkBytes) {
    next = std::min(2 * size, kLargestChunk);
  } else if (nanoseconds > kLongChunkNanoseconds) {
    next = std::max<int64_t>(size / 2, 1);
  }
  if (next != size) chunk_size_.store(next, std::memory_order_relaxed);
}

void ParallelIterator::save(StateWriter& state) {
  state.keep(std::make_shared<Pause>(*this));
  const auto write = [&](const ParallelResult& result) {
    state.write_bool(result.error != nullptr);
    result.error ? state.write_error(result.error)
                 : state.write_element(result.element);
  };
  size_t results = current_.size() - position_;
  for (const Slot& slot : slots_) results += slot.chunk.results.size();
  state.begin("parallel calls");
  state.write_int(pulled_);
  state.write_bool(ended_);
  state.write_int(static_cast<int64_t>(results));
  for (size_t i = position_; i < current_.size(); ++i) write(current_[i]);
  for (const Slot& slot : slots_) {
    for (const ParallelResult& result : slot.chunk.results) write(result);
  }
  input_->save(state);
}

void ParallelIterator::restore(StateReader& state) {
  state.expect("parallel calls");
  pulled_ = state.read_int();
  ended_ = state.read_bool();
  const int64_t results = state.read_int();
  given_ = pulled_ - results;
  for (int64_t count = results; count > 0; --count) {
    ParallelResult& result = current_.emplace_back();
    if (state.read_bool()) {
      result.error = state.read_error();
    } else {
      result.element = state.read_element();
    }
  }
  input_->restore(state);
}

}  // namespace systolic::data::detail
