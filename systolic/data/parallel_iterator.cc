#include "systolic/data/parallel_iterator.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/base/trace.h"

namespace systolic::data::detail {
namespace {

// A chunk's work should outweigh its locks (a few microseconds) and still be
// short, so that the threads share it evenly.
constexpr int64_t kShortChunkNanoseconds = 50'000;
constexpr int64_t kLongChunkNanoseconds = 400'000;
constexpr int64_t kLargestChunk = 256;

}  // namespace

int thread_count(const std::string& who, int64_t num_parallel_calls) {
  if (num_parallel_calls == AUTOTUNE) {
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  if (num_parallel_calls < 1) {
    internal::Message(who)
        .expected("num_parallel_calls >= 1 or data::AUTOTUNE")
        .got(num_parallel_calls)
        .raise<ValueError>();
  }
  return static_cast<int>(std::min<int64_t>(num_parallel_calls, 1024));
}

ParallelIterator::ParallelIterator(const DatasetBase& input,
                                   const IteratorContext& context,
                                   const ParallelOptions& options, Work work)
    : options_(options),
      work_(std::move(work)),
      chain_(context.stop, [this] { stop_.request_stop(); }),
      input_(input.make_iterator(context.with_stop(stop_.get_token()))),
      chunk_size_(options.chunk > 0 ? options.chunk : 1) {}

ParallelIterator::~ParallelIterator() {
  stop_.request_stop();
  for (std::thread& thread : threads_) thread.join();
}

bool ParallelIterator::get_next(Element* out) {
  while (position_ == current_.size()) {
    if (!take_results()) return false;
  }
  ParallelResult& result = current_[position_++];
  if (result.error) {
    // Its last reference goes with the reader.
    std::rethrow_exception(std::exchange(result.error, nullptr));
  }
  *out = std::move(result.element);
  return true;
}

bool ParallelIterator::take_results() {
  if (threads_.empty()) {
    threads_.reserve(static_cast<size_t>(options_.threads));
    for (int i = 0; i < options_.threads; ++i) {
      threads_.emplace_back([this] { run_worker(); });
    }
  }
  std::list<Slot> taken;
  {
    std::unique_lock lock(mutex_);
    const bool woken = ready_.wait(lock, stop_.get_token(), [this] {
      return find_ready() != slots_.end() || (ended_ && slots_.empty());
    });
    if (!woken || slots_.empty()) return false;
    taken.splice(taken.begin(), slots_, find_ready());
  }
  space_.notify_one();
  current_ = std::move(taken.front().chunk.results);
  position_ = 0;
  return true;
}

ParallelIterator::SlotPosition ParallelIterator::find_ready() {
  if (options_.deterministic) {
    const bool first = !slots_.empty() && slots_.front().ready;
    return first ? slots_.begin() : slots_.end();
  }
  return std::find_if(slots_.begin(), slots_.end(),
                      [](const Slot& slot) { return slot.ready; });
}

void ParallelIterator::run_worker() {
  internal::name_trace_thread("parallel map");
  const std::stop_token stop = stop_.get_token();
  while (!stop.stop_requested()) {
    SlotPosition slot;
    ParallelChunk chunk;
    {
      std::lock_guard pulling(pull_mutex_);
      if (!reserve_slot(&slot)) return;
      pull(&chunk);
    }
    const auto start = std::chrono::steady_clock::now();
    if (!chunk.inputs.empty()) {
      internal::TraceScope scope("parallel calls");
      scope.note("elements", static_cast<int64_t>(chunk.inputs.size()));
      work_(chunk, stop);
    }
    if (chunk.error) {
      chunk.results.push_back({Element(), std::exchange(chunk.error, nullptr)});
    }
    if (options_.chunk == 0) {
      adapt_chunk(
          std::chrono::nanoseconds(std::chrono::steady_clock::now() - start)
              .count());
    }
    chunk.inputs.clear();
    {
      std::lock_guard lock(mutex_);
      slot->chunk = std::move(chunk);
      slot->ready = true;
    }
    ready_.notify_one();
  }
}

// Waits for a free place in the queue; false when there is nothing to do.
bool ParallelIterator::reserve_slot(SlotPosition* slot) {
  const size_t limit = 2 * static_cast<size_t>(options_.threads);
  std::unique_lock lock(mutex_);
  const bool woken = space_.wait(
      lock, stop_.get_token(), [&] { return ended_ || slots_.size() < limit; });
  if (!woken || ended_) return false;
  *slot = slots_.emplace(slots_.end());
  return true;
}

// Takes the next chunk from the input, up to an exception or the end.
void ParallelIterator::pull(ParallelChunk* chunk) {
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

void ParallelIterator::adapt_chunk(int64_t nanoseconds) {
  const int64_t size = chunk_size_.load(std::memory_order_relaxed);
  int64_t next = size;
  if (nanoseconds < kShortChunkNanoseconds) {
    next = std::min(2 * size, kLargestChunk);
  } else if (nanoseconds > kLongChunkNanoseconds) {
    next = std::max<int64_t>(size / 2, 1);
  }
  if (next != size) chunk_size_.store(next, std::memory_order_relaxed);
}

}  // namespace systolic::data::detail
