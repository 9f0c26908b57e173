#include "systolic/models/trainer.h"

#include <algorithm>
#include <array>

#include "systolic/array/manipulation.h"
#include "systolic/base/message.h"
#include "systolic/graph/step.h"
#include "systolic/losses/labels.h"
#include "systolic/ops/control_flow.h"
#include "systolic/ops/manipulation.h"

namespace systolic::internal::models {

namespace {

// Batches that one launch takes at most, in number and in bytes.
constexpr int64_t kMaxChunk = 64;
constexpr size_t kMaxChunkBytes = size_t{256} << 20;

// Launches in flight before the results of the first are fetched.
constexpr size_t kMaxPredictions = 4;

int64_t chunk_capacity(const HostBatch& batch, int64_t steps) {
  const size_t bytes = std::max<size_t>(batch.nbytes(), 1);
  const auto by_memory = static_cast<int64_t>(kMaxChunkBytes / bytes);
  return std::clamp<int64_t>(std::min(steps, by_memory), 1, kMaxChunk);
}

std::string_view step_name(StepRunner::Kind kind) {
  return kind == StepRunner::Kind::train ? systolic::models::kTrainStep
                                         : systolic::models::kTestStep;
}

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
  data::Element element;
  if (!iterator_.get_next(&element)) return std::nullopt;
  return takes_ == Takes::all ? unpack(element, who_)
                              : unpack_inputs(element, who_);
}

void BatchReader::restart() {
  kept_.reset();
  iterator_ = dataset_.iterator();
}

StepRunner::StepRunner(const Model& model, Kind kind)
    : model_(model), base_(model.base()), kind_(kind) {
  base_.place_metrics();
}

void StepRunner::record(const StepBatch& batch) {
  const graph::VariablePlacementGuard here(base_.placement());
  if (kind_ == Kind::train) {
    base_.train_step(batch);
  } else {
    base_.test_step(batch);
  }
  model_.clear_losses();
}

void StepRunner::check_labels(const HostBatch& batch) {
  const auto& loss = base_.compiled_loss();
  if (!loss.is_defined() || !batch.y.is_set()) return;
  const TensorSpec& output = base_.output_spec();
  // Class numbers are the labels that a loss leaves as they are.
  if (loss.base().casts_labels() || output.shape.rank() < 1) return;
  losses::check_labels(batch.y, output.shape[-1],
                       {.ignore_class = loss.base().ignored_class(),
                        .who = loss.base().class_name(),
                        .first_row = first_row_});
  first_row_ += batch.rows;
}

void StepRunner::run(const HostBatch& batch) {
  const DeviceBatch sent = send(batch, *base_.placement());
  launch(
      sent,
      [&] {
        record({sent.x, sent.y, sent.sample_weight, sent.mean_rows});
      },
      [&] { check_labels(batch); });
}

void StepRunner::launch(const DeviceBatch& sent,
                        const std::function<void()>& record,
                        const std::function<void()>& check) {
  const std::array<Tensor, 6> inputs{
      sent.x,          sent.y,         sent.sample_weight,
      sent.valid_rows, sent.mean_rows, sent.count};
  if (const graph::StepPlan* plan = plans_.find(inputs)) {
    check();
    plan->launch(inputs);
    return;
  }
  graph::Step step(base_.placement(), step_name(kind_),
                   graph::Step::Keep::plan);
  step.context().valid_rows = sent.valid_rows;
  record();
  check();
  step.commit({});
  plans_.learn(inputs, step.plan(inputs));
}

void StepRunner::run_chunk(std::span<const HostBatch> batches,
                           int64_t capacity) {
  const DeviceBatch sent = send(batches, capacity, *base_.placement());
  const auto at = [](const Tensor& stack, const Tensor& i) {
    return stack.is_defined() ? dynamic_index(stack, i) : Tensor();
  };
  launch(
      sent,
      [&] {
        for_loop(sent.count, [&](const Tensor& i) {
          record({at(sent.x, i), at(sent.y, i), at(sent.sample_weight, i),
                  sent.mean_rows});
        });
      },
      [&] {
        for (const HostBatch& batch : batches) check_labels(batch);
      });
}

int64_t StepRunner::run(BatchReader& reader, int64_t limit) {
  int64_t done = 0;
  while (done < limit) {
    std::optional<HostBatch> first = reader.next();
    if (!first) break;
    if (base_.steps_per_execution() == 1) {
      run(*first);
      ++done;
      continue;
    }
    const int64_t capacity =
        chunk_capacity(*first, base_.steps_per_execution());
    std::vector<HostBatch> batches{std::move(*first)};
    const auto wanted = static_cast<size_t>(std::min(capacity, limit - done));
    while (batches.size() < wanted) {
      std::optional<HostBatch> next = reader.next();
      if (!next) break;
      if (!next->same_specs(batches.front())) {
        // A batch of another shape needs another program.
        reader.put_back(std::move(*next));
        break;
      }
      batches.push_back(std::move(*next));
    }
    run_chunk(batches, capacity);
    done += static_cast<int64_t>(batches.size());
  }
  return done;
}

MetricValues metric_values(ModelBase& base) {
  MetricValues values;
  for (const auto& [name, metric] : base.named_metrics()) {
    values.emplace_back(name, metric.result().item<double>());
  }
  return values;
}

PredictRunner::PredictRunner(const Model& model)
    : model_(model), base_(model.base()) {}

void PredictRunner::run(const HostBatch& batch) {
  const DeviceBatch sent = send(batch, *base_.placement());
  graph::Step step(base_.placement(), "predict_step");
  step.context().valid_rows = sent.valid_rows;
  Tensor result;
  {
    const graph::VariablePlacementGuard here(base_.placement());
    result = base_.predict_step(sent.x);
    model_.clear_losses();
  }
  const int64_t rows = sent.x.shape()[0];
  if (result.rank() == 0 || result.shape()[0] != rows) {
    Message("predict")
        .expected("a value of the model with a row for each of the ", rows,
                  " rows of x")
        .got(result.spec())
        .raise<ShapeError>();
  }
  step.commit(std::span(&result, 1));
  pending_.push_back({graph::storage_of(result.ref()), batch.rows});
  if (pending_.size() > kMaxPredictions) collect();
}

void PredictRunner::collect() {
  const Pending pending = std::move(pending_.front());
  pending_.pop_front();
  int64_t left = pending.rows;
  for (const Array& part : pending.storage->replicas()) {
    const int64_t rows = std::min(left, part.shape()[0]);
    if (rows <= 0) break;
    parts_.push_back(part.slice({Slice(0, rows)}));
    left -= rows;
  }
}

Array PredictRunner::finish() {
  while (!pending_.empty()) collect();
  if (parts_.empty()) {
    Message("predict")
        .expected("at least one batch")
        .got("an empty data set")
        .raise<ValueError>();
  }
  return concatenate(parts_, 0);
}

}  // namespace systolic::internal::models
