#include "systolic/models/chunks.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/base/rethrow.h"
#include "systolic/base/trace.h"
#include "systolic/distribute/feed.h"
#include "systolic/graph/planning.h"
#include "systolic/runtime/usage.h"
#include "systolic/runtime/utilization.h"

namespace systolic::internal::models {

namespace {

constexpr std::string_view kStateTag = "batches";

}  // namespace

BatchReader::BatchReader(const data::Dataset& dataset, std::string_view who,
                         Takes takes)
    : dataset_(dataset),
      who_(who),
      takes_(takes),
      iterator_(dataset.iterator()) {}

bool BatchReader::has_next() {
  if (!kept_) kept_ = next();
  return kept_.has_value();
}

std::optional<HostBatch> BatchReader::next() {
  if (kept_) {
    std::optional<HostBatch> batch = std::move(kept_);
    kept_.reset();
    return batch;
  }
  ++step_;
  const TraceScope scope("next batch");
  try {
    return read();
  } catch (...) {
    rethrow_with(place(step_, step_));
  }
}

std::string BatchReader::place(int64_t first, int64_t last) const {
  std::string line = concatenate_text("  in: ", who_);
  if (epoch_) line += concatenate_text(", epoch ", *epoch_ + 1);
  return line + steps_text(first, last);
}

std::optional<HostBatch> BatchReader::read() {
  data::Element element;
  if (!iterator_.get_next(&element)) return std::nullopt;
  return unpacked(std::move(element));
}

HostBatch BatchReader::unpacked(data::Element element) const {
  HostBatch batch = takes_ == Takes::all ? unpack(element, who_)
                                         : unpack_inputs(element, who_);
  if (change_ != nullptr) change_(batch);
  batch.element = std::move(element);
  return batch;
}

std::string BatchReader::save() {
  data::StateWriter writer;
  writer.begin(kStateTag);
  writer.write_int(step_);
  writer.write_bool(kept_.has_value());
  if (kept_) writer.write_element(kept_->element);
  writer.write_string(iterator_.save());
  return writer.take();
}

void BatchReader::restore(std::string_view state) {
  data::StateReader reader(state);
  reader.expect(kStateTag);
  step_ = reader.read_int();
  kept_.reset();
  if (reader.read_bool()) kept_ = unpacked(reader.read_element());
  iterator_ = dataset_.iterator(reader.read_string());
  reader.expect_end();
}

void BatchReader::restart() {
  kept_.reset();
  step_ = 0;
  iterator_ = dataset_.iterator();
}

void BatchReader::begin_epoch(int epoch) {
  epoch_ = epoch;
  step_ = kept_ ? 1 : 0;
}

Chunk single_chunk(const HostBatch& batch, const graph::Placement& placement) {
  Chunk chunk{.sent = send(batch, placement), .rows = batch.rows, .steps = 1};
  if (batch.y.is_set()) chunk.labels.push_back(batch.y);
  return chunk;
}

namespace {

// A plan looks at a step alone: what a launch is around it costs little.
int64_t steps_of_launch(int64_t steps_per_execution) {
  auto* planning = graph::Planning::current();
  if (planning == nullptr) return steps_per_execution;
  planning->facts().steps_per_execution = steps_per_execution;
  return 1;
}

}  // namespace

ChunkMaker::ChunkMaker(BatchReader& batches, const graph::Placement& placement,
                       int64_t steps_per_execution,
                       std::optional<int64_t> steps)
    : batches_(batches),
      placement_(placement),
      execution_(steps_per_execution),
      launch_(steps_of_launch(steps_per_execution)),
      steps_(steps) {}

// The steps that the next chunk may have.
int64_t ChunkMaker::limit() const {
  const int64_t most = execution_ - given_ % execution_;
  return steps_ ? std::min(most, *steps_ - given_) : most;
}

std::optional<Chunk> ChunkMaker::next() {
  if (limit() < 1 || failure_ != nullptr) return std::nullopt;
  TraceScope scope("prepare chunk");
  try {
    std::optional<HostBatch> first = batches_.next();
    if (!first) return std::nullopt;
    Chunk chunk = make(std::move(*first));
    given_ += chunk.steps;
    scope.note("steps", chunk.steps);
    return chunk;
  } catch (...) {
    failure_ = std::current_exception();
  }
  return std::nullopt;
}

Chunk ChunkMaker::make(HostBatch first) {
  if (launch_ == 1) return single_chunk(first, placement_);
  // The same for every stack of a run: the size is part of the program.
  const int64_t capacity = distribute::stack_capacity(first.nbytes(), launch_);
  std::vector<HostBatch> batches{std::move(first)};
  const auto wanted = static_cast<size_t>(std::min(capacity, limit()));
  try {
    while (batches.size() < wanted) {
      std::optional<HostBatch> next = batches_.next();
      if (!next) break;
      if (!next->same_specs(batches.front())) {
        // A batch of another shape needs another program.
        batches_.put_back(std::move(*next));
        break;
      }
      batches.push_back(std::move(*next));
    }
  } catch (...) {
    // The batches before it are as good as in a launch of their own.
    failure_ = std::current_exception();
  }
  Chunk chunk{.sent = send(batches, capacity, placement_),
              .rows = batches.front().rows,
              .steps = static_cast<int64_t>(batches.size()),
              .is_stack = true};
  for (const HostBatch& batch : batches) {
    if (batch.y.is_set()) chunk.labels.push_back(batch.y);
  }
  return chunk;
}

void ChunkMaker::rethrow() {
  if (failure_ != nullptr) {
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

// Makes chunks ahead of the caller. All but the maker is guarded by the mutex;
// the maker is the thread's own until it has ended.
class ChunkReader::Thread {
 public:
  explicit Thread(ChunkMaker& maker)
      : maker_(maker), thread_([this] { run(); }) {}
  ~Thread() {
    stop_.request_stop();
    {
      const std::lock_guard lock(mutex_);
      // Where it waits for data that nobody wants any more.
      if (!ended_) maker_.stop();
    }
    thread_.join();
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  // The next chunk, or nothing at the end.
  std::optional<Chunk> next() {
    std::optional<Chunk> chunk;
    {
      std::unique_lock lock(mutex_);
      if (chunks_.empty() && !ended_) {
        const systolic::runtime::InputWait waiting;
        ready_.wait(lock, [this] { return !chunks_.empty() || ended_; });
      }
      if (chunks_.empty()) return std::nullopt;
      chunk = std::move(chunks_.front());
      chunks_.pop_front();
    }
    space_.notify_one();
    return chunk;
  }

 private:
  // Two launches: one may be held up while the other is at hand.
  static constexpr size_t kChunks = 2;

  void run() {
    name_trace_thread("read ahead");
    const runtime::WorkAhead ahead;
    // model.plan() in a callback is not about the chunks that are sent here.
    const graph::WithoutPlanning for_real;
    while (true) {
      std::unique_lock lock(mutex_);
      const bool wanted = space_.wait(
          lock, stop_.get_token(), [this] { return chunks_.size() < kChunks; });
      lock.unlock();
      std::optional<Chunk> chunk;
      if (wanted) chunk = maker_.next();
      lock.lock();
      ended_ = !chunk;
      if (chunk) chunks_.push_back(*std::move(chunk));
      const bool ended = ended_;
      lock.unlock();
      ready_.notify_one();
      if (ended) return;
    }
  }

  ChunkMaker& maker_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable_any space_;
  std::condition_variable ready_;
  std::deque<Chunk> chunks_;
  bool ended_ = false;
  std::thread thread_;  // the last: it uses the others
};

ChunkReader::ChunkReader(BatchReader& batches,
                         const graph::Placement& placement,
                         int64_t steps_per_execution,
                         std::optional<int64_t> steps)
    : maker_(batches, placement, steps_per_execution, steps) {
  // A plan reads what this thread has to see.
  if (graph::Planning::current() != nullptr || !batches.works_ahead()) return;
  thread_ = std::make_unique<Thread>(maker_);
}

ChunkReader::~ChunkReader() = default;

void ChunkReader::read_ahead() {
  if (thread_ == nullptr) prepare();
}

bool ChunkReader::prepare() {
  if (!next_) next_ = thread_ != nullptr ? thread_->next() : maker_.next();
  return next_.has_value();
}

Chunk ChunkReader::take() {
  Chunk chunk = std::move(*next_);
  next_.reset();
  return chunk;
}

}  // namespace systolic::internal::models
