#include "systolic/models/chunks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/base/rethrow.h"
#include "systolic/base/trace.h"
#include "systolic/distribute/feed.h"
#include "systolic/graph/planning.h"

namespace systolic::internal::models {

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
  HostBatch batch = takes_ == Takes::all ? unpack(element, who_)
                                         : unpack_inputs(element, who_);
  if (change_ != nullptr) change_(batch);
  return batch;
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

ChunkReader::ChunkReader(BatchReader& batches,
                         const graph::Placement& placement,
                         int64_t steps_per_execution)
    : batches_(batches),
      placement_(placement),
      steps_per_execution_(steps_of_launch(steps_per_execution)) {}

bool ChunkReader::prepare(int64_t limit) {
  if (next_) return true;
  if (limit < 1 || failure_ != nullptr) return false;
  TraceScope scope("prepare chunk");
  try {
    std::optional<HostBatch> first = batches_.next();
    if (!first) return false;
    next_ = make(std::move(*first), limit);
    scope.note("steps", next_->steps);
  } catch (...) {
    failure_ = std::current_exception();
  }
  return next_.has_value();
}

Chunk ChunkReader::make(HostBatch first, int64_t limit) {
  if (steps_per_execution_ == 1) return single_chunk(first, placement_);
  // The same for every stack of a run: the size is part of the program.
  const int64_t capacity =
      distribute::stack_capacity(first.nbytes(), steps_per_execution_);
  std::vector<HostBatch> batches{std::move(first)};
  const auto wanted = static_cast<size_t>(std::min(capacity, limit));
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

Chunk ChunkReader::take() {
  Chunk chunk = std::move(*next_);
  next_.reset();
  return chunk;
}

void ChunkReader::rethrow() {
  if (failure_ != nullptr) {
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

}  // namespace systolic::internal::models
