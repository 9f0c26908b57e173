#include "systolic/models/trainer.h"

#include <algorithm>
#include <array>

#include "systolic/array/manipulation.h"
#include "systolic/base/message.h"
#include "systolic/base/trace.h"
#include "systolic/graph/step.h"
#include "systolic/losses/labels.h"
#include "systolic/ops/control_flow.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::internal::models {

namespace {

// Launches in flight before the results of the first are fetched.
constexpr size_t kMaxPredictions = 4;

constexpr std::string_view kPredictStep = "predict_step";

std::string_view step_name(StepRunner::Kind kind) {
  return kind == StepRunner::Kind::train ? systolic::models::kTrainStep
                                         : systolic::models::kTestStep;
}

}  // namespace

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

void StepRunner::check_labels(const Chunk& chunk) {
  const auto& loss = base_.compiled_loss();
  if (!loss.is_defined() || chunk.labels.empty()) return;
  const TensorSpec& output = base_.output_spec();
  // Class numbers are the labels that a loss leaves as they are.
  if (loss.base().casts_labels() || output.shape.rank() < 1) return;
  for (const Array& labels : chunk.labels) {
    losses::check_labels(labels, output.shape[-1],
                         {.ignore_class = loss.base().ignored_class(),
                          .who = loss.base().class_name(),
                          .first_row = first_row_});
    first_row_ += chunk.rows;
  }
}

void StepRunner::run(const Chunk& chunk) {
  const DeviceBatch& sent = chunk.sent;
  const std::array<Tensor, 6> inputs{
      sent.x,          sent.y,         sent.sample_weight,
      sent.valid_rows, sent.mean_rows, sent.count};
  if (const graph::StepPlan* plan = plans_.find(inputs)) {
    check_labels(chunk);
    plan->launch(inputs);
    return;
  }
  graph::Step step(base_.placement(), step_name(kind_),
                   graph::Step::Keep::plan);
  step.context().valid_rows = sent.valid_rows;
  step.context().replicas_differ = true;
  record(chunk);
  check_labels(chunk);
  step.commit({});
  plans_.learn(inputs, step.plan(inputs));
}

void StepRunner::record(const Chunk& chunk) {
  const DeviceBatch& sent = chunk.sent;
  if (!chunk.is_stack) {
    record(StepBatch{sent.x, sent.y, sent.sample_weight, sent.mean_rows});
    return;
  }
  for_loop(sent.count, [&](const Tensor& i) {
    const auto at = [&](const Tensor& stack) {
      return stack.is_defined() ? dynamic_index(stack, i) : Tensor();
    };
    record(StepBatch{at(sent.x), at(sent.y), at(sent.sample_weight),
                     sent.mean_rows});
  });
}

MetricValues metric_values(ModelBase& base) {
  const TraceScope scope("metrics");
  MetricValues values;
  for (const auto& [name, metric] : base.named_metrics()) {
    values.emplace_back(name, metric.result().item<double>());
  }
  return values;
}

PredictRunner::PredictRunner(const Model& model)
    : model_(model), base_(model.base()) {}

Tensor PredictRunner::record(const Tensor& x) {
  const graph::VariablePlacementGuard here(base_.placement());
  Tensor result = base_.predict_step(x);
  model_.clear_losses();
  const int64_t rows = x.shape()[0];
  if (result.rank() == 0 || result.shape()[0] != rows) {
    Message("predict")
        .expected("a value of the model with a row for each of the ", rows,
                  " rows of x")
        .got(result.spec())
        .raise<ShapeError>();
  }
  return result;
}

// Recorded once for each spec, and dropped: the loop has to know it.
const TensorSpec& PredictRunner::result_spec(const DeviceBatch& sent) {
  if (sent.x.spec() == stack_spec_) return result_spec_;
  graph::Step step(base_.placement(), kPredictStep);
  step.context().valid_rows = sent.valid_rows;
  result_spec_ = record(dynamic_index(sent.x, 0)).spec();
  stack_spec_ = sent.x.spec();
  return result_spec_;
}

Tensor PredictRunner::record_stack(const DeviceBatch& sent) {
  const TensorSpec& result = result_spec(sent);
  Shape all{sent.x.shape()[0]};
  for (const int64_t size : result.shape) all.push_back(size);
  return while_loop(
      [&](const std::vector<Tensor>& vars) { return vars[0] < sent.count; },
      [&](const std::vector<Tensor>& vars) {
        const Tensor value = record(dynamic_index(sent.x, vars[0]));
        return std::vector{vars[0] + 1,
                           dynamic_update(vars[1], vars[0], value)};
      },
      {constant(Array::scalar(0)), zeros(all, result.dtype)})[1];
}

void PredictRunner::run(const Chunk& chunk) {
  const Tensor result = launch(chunk);
  pending_.push_back({graph::storage_of(result.ref()), chunk.rows, chunk.steps,
                      chunk.is_stack});
  if (pending_.size() > kMaxPredictions) collect();
}

Tensor PredictRunner::launch(const Chunk& chunk) {
  const DeviceBatch& sent = chunk.sent;
  const std::array<Tensor, 3> inputs{sent.x, sent.valid_rows, sent.count};
  if (const graph::StepPlan* plan = plans_.find(inputs)) {
    return plan->launch(inputs)[0];
  }
  if (chunk.is_stack) result_spec(sent);
  graph::Step step(base_.placement(), kPredictStep, graph::Step::Keep::plan);
  step.context().valid_rows = sent.valid_rows;
  Tensor result = chunk.is_stack ? record_stack(sent) : record(sent.x);
  step.commit(std::span(&result, 1));
  plans_.learn(inputs, step.plan(inputs));
  return result;
}

void PredictRunner::collect() {
  const Pending pending = std::move(pending_.front());
  pending_.pop_front();
  const std::vector<Array> replicas = pending.storage->replicas();
  if (!pending.is_stack) return collect_batch(replicas, pending.rows);
  for (int64_t step = 0; step < pending.steps; ++step) {
    std::vector<Array> batch;
    batch.reserve(replicas.size());
    for (const Array& stack : replicas) batch.push_back(stack[step]);
    collect_batch(batch, pending.rows);
  }
}

void PredictRunner::collect_batch(const std::vector<Array>& replicas,
                                  int64_t rows) {
  for (const Array& part : replicas) {
    const int64_t real = std::min(rows, part.shape()[0]);
    if (real <= 0) break;
    parts_.push_back(part.slice({Slice(0, real)}));
    rows -= real;
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
