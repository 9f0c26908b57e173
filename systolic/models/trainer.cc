#include "systolic/models/trainer.h"

#include <algorithm>

#include "systolic/array/manipulation.h"
#include "systolic/base/message.h"
#include "systolic/base/trace.h"
#include "systolic/graph/planning.h"
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
  // Whoever asks which rows are real has to know what a row is.
  graph::Context& context = graph::context();
  if (context.valid_rows.is_defined() && batch.x[0].rank() > 0) {
    context.batch_rows = batch.x[0].shape()[0];
  }
  base_.begin_step(batch);
  if (kind_ == Kind::train) {
    base_.train_step(batch);
  } else {
    base_.test_step(batch);
  }
  base_.end_step();
  model_.clear_losses();
}

void StepRunner::check_labels(const Chunk& chunk) {
  for (const Arrays& labels : chunk.labels) {
    for (const auto& one : base_.compiled_loss().all()) {
      check_labels(one, labels);
    }
    first_row_ += chunk.rows;
  }
}

// Class numbers are the labels that a loss leaves as they are.
void StepRunner::check_labels(const CompiledLoss::One& one,
                              const Arrays& labels) {
  const auto& specs = base_.output_specs();
  if (!one.loss.is_defined() || one.loss.base().casts_labels()) return;
  if (one.output >= specs.size() || specs[one.output].shape.rank() < 1) return;
  size_t place = one.output;
  const std::vector<std::string> names = base_.output_names();
  if (!labels.names().empty() && place < names.size()) {
    place =
        static_cast<size_t>(std::ranges::find(labels.names(), names[place]) -
                            labels.names().begin());
  }
  if (place >= labels.size()) return;
  losses::check_labels(labels[place], specs[one.output].shape[-1],
                       {.ignore_class = one.loss.base().ignored_class(),
                        .who = one.loss.base().class_name(),
                        .first_row = first_row_});
}

void StepRunner::run(const Chunk& chunk) {
  const DeviceBatch& sent = chunk.sent;
  const std::vector<Tensor> inputs = sent.leaves();
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

namespace {

// Batch i of a stack.
Tensors at(const Tensors& stack, const Tensor& i) {
  std::vector<Tensor> batch;
  for (const Tensor& one : stack) batch.push_back(dynamic_index(one, i));
  return stack.like(std::move(batch));
}

}  // namespace

void StepRunner::record(const Chunk& chunk) {
  const DeviceBatch& sent = chunk.sent;
  if (!chunk.is_stack) {
    record(StepBatch{sent.x, sent.y, sent.sample_weight, sent.mean_rows});
    return;
  }
  for_loop(sent.count, [&](const Tensor& i) {
    record(StepBatch{at(sent.x, i), at(sent.y, i), at(sent.sample_weight, i),
                     sent.mean_rows});
  });
}

void tell_plan(const Model& model, const SourceLocation& where) {
  graph::Planning* planning = graph::Planning::current();
  if (planning == nullptr) return;
  planning->facts().what = "fit of " + model.name();
  planning->facts().where = where;
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

std::vector<Tensor> PredictRunner::record(const Tensors& x) {
  const graph::VariablePlacementGuard here(base_.placement());
  const Tensors results = base_.predict_step(x);
  model_.clear_losses();
  const int64_t rows = x[0].shape()[0];
  for (const Tensor& result : results) {
    if (result.rank() > 0 && result.shape()[0] == rows) continue;
    Message("predict")
        .expected("a value of the model with a row for each of the ", rows,
                  " rows of x")
        .got(result.spec())
        .raise<ShapeError>();
  }
  names_ = results.names();
  return results.all();
}

// Recorded once for each spec, and dropped: the loop has to know it.
const std::vector<TensorSpec>& PredictRunner::result_specs(
    const DeviceBatch& sent) {
  std::vector<TensorSpec> stacks;
  for (const Tensor& stack : sent.x) stacks.push_back(stack.spec());
  if (stacks == stack_specs_) return result_specs_;
  graph::Step step(base_.placement(), kPredictStep);
  step.context().valid_rows = sent.valid_rows;
  result_specs_.clear();
  for (const Tensor& result : record(at(sent.x, Arg(0).tensor()))) {
    result_specs_.push_back(result.spec());
  }
  stack_specs_ = std::move(stacks);
  return result_specs_;
}

std::vector<Tensor> PredictRunner::record_stack(const DeviceBatch& sent) {
  std::vector<Tensor> start{constant(Array::scalar(0))};
  for (const TensorSpec& result : result_specs(sent)) {
    Shape all{sent.x[0].shape()[0]};
    for (const int64_t size : result.shape) all.push_back(size);
    start.push_back(zeros(all, result.dtype));
  }
  std::vector<Tensor> end = while_loop(
      [&](const std::vector<Tensor>& vars) { return vars[0] < sent.count; },
      [&](const std::vector<Tensor>& vars) {
        const std::vector<Tensor> values = record(at(sent.x, vars[0]));
        std::vector<Tensor> next{vars[0] + 1};
        for (size_t i = 0; i < values.size(); ++i) {
          next.push_back(dynamic_update(vars[i + 1], vars[0], values[i]));
        }
        return next;
      },
      start);
  end.erase(end.begin());
  return end;
}

void PredictRunner::run(const Chunk& chunk) {
  std::vector<graph::StoragePtr> outputs;
  for (const Tensor& result : launch(chunk)) {
    outputs.push_back(graph::storage_of(result.ref()));
  }
  pending_.push_back(
      {std::move(outputs), chunk.rows, chunk.steps, chunk.is_stack});
  if (pending_.size() > kMaxPredictions) collect();
}

std::vector<Tensor> PredictRunner::launch(const Chunk& chunk) {
  const DeviceBatch& sent = chunk.sent;
  std::vector<Tensor> inputs = sent.x.all();
  inputs.push_back(sent.valid_rows);
  inputs.push_back(sent.count);
  if (const graph::StepPlan* plan = plans_.find(inputs)) {
    return plan->launch(inputs);
  }
  if (chunk.is_stack) result_specs(sent);
  graph::Step step(base_.placement(), kPredictStep, graph::Step::Keep::plan);
  step.context().valid_rows = sent.valid_rows;
  std::vector<Tensor> results =
      chunk.is_stack ? record_stack(sent) : record(sent.x);
  step.commit(results);
  plans_.learn(inputs, step.plan(inputs));
  return results;
}

void PredictRunner::collect() {
  const Pending pending = std::move(pending_.front());
  pending_.pop_front();
  parts_.resize(pending.outputs.size());
  for (size_t output = 0; output < pending.outputs.size(); ++output) {
    const std::vector<Array> replicas = pending.outputs[output]->replicas();
    if (!pending.is_stack) {
      collect_batch(output, replicas, pending.rows);
      continue;
    }
    for (int64_t step = 0; step < pending.steps; ++step) {
      std::vector<Array> batch;
      batch.reserve(replicas.size());
      for (const Array& stack : replicas) batch.push_back(stack[step]);
      collect_batch(output, batch, pending.rows);
    }
  }
}

void PredictRunner::collect_batch(size_t output,
                                  const std::vector<Array>& replicas,
                                  int64_t rows) {
  for (const Array& part : replicas) {
    const int64_t real = std::min(rows, part.shape()[0]);
    if (real <= 0) break;
    parts_[output].push_back(part.slice({Slice(0, real)}));
    rows -= real;
  }
}

Arrays PredictRunner::finish() {
  while (!pending_.empty()) collect();
  if (parts_.empty()) {
    Message("predict")
        .expected("at least one batch")
        .got("an empty data set")
        .raise<ValueError>();
  }
  std::vector<Array> whole;
  for (const auto& parts : parts_) whole.push_back(concatenate(parts, 0));
  return Arrays(std::move(whole), names_);
}

}  // namespace systolic::internal::models
