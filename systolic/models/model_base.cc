#include "systolic/models/model_base.h"

#include <algorithm>

#include "systolic/base/message.h"
#include "systolic/graph/context.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/math.h"

namespace systolic::models {

using internal::Message;

ModelBase::ModelBase(layers::LayerOptions options)
    : LayerBase(std::move(options)),
      placement_(internal::graph::variable_placement()) {}

void ModelBase::compile(const CompileOptions& options) {
  const internal::graph::VariablePlacementGuard here(placement_);
  if (options.steps_per_execution < 1) {
    Message("compile")
        .expected("steps_per_execution of at least 1")
        .got(options.steps_per_execution)
        .raise<ValueError>();
  }
  // Everything is looked up before anything changes.
  const optimizers::Optimizer optimizer = optimizers::get(options.optimizer);
  if (options.loss.is_set()) losses::get(options.loss);
  std::vector<CompiledMetric> metrics;
  for (const auto& identifier : options.metrics) {
    metrics.push_back({identifier, identifier.metric(), false});
  }
  for (const auto& identifier : options.weighted_metrics) {
    metrics.push_back({identifier, identifier.metric(), true});
  }
  for (CompiledMetric& metric : metrics) {
    // A wrong name is found here; what "accuracy" means, at the first batch.
    metrics::require_predictions(metrics::get(metric.identifier));
  }
  optimizer_ = optimizer;
  loss_identifier_ = options.loss;
  loss_ = options.loss.loss();
  compiled_metrics_ = std::move(metrics);
  steps_per_execution_ = options.steps_per_execution;
  loss_tracker_ = metrics::Mean("loss");
}

void ModelBase::require_compiled(std::string_view who) const {
  if (compiled()) return;
  Message(std::string(who))
      .rule("model \"", name(), "\" is not compiled")
      .hint("call model.compile({.optimizer = ..., .loss = ...}) first")
      .raise<ValueError>();
}

Tensor ModelBase::operator()(const Tensor& x, bool training) {
  return handle()(Arg(x), {.training = training});
}

Model ModelBase::handle() const {
  const auto self = self_.lock();
  if (self == nullptr) {
    Message("Model")
        .rule("a model is used through its handle")
        .hint("make it with models::make<YourModel>(...)")
        .raise<ValueError>();
  }
  return Model(self);
}

Tensor ModelBase::compute_loss(const Tensor& y, const Tensor& y_pred,
                               const Tensor& sample_weight) {
  Tensor total;
  if (loss_identifier_.is_set()) {
    if (!y.is_defined()) {
      const bool tests = internal::graph::context().step_name == kTestStep;
      Message(tests ? "evaluate" : "fit")
          .expected("data with labels, since the model has a loss")
          .got("inputs alone")
          .hint("give pairs (x, y): Dataset::from_tensor_slices(x, y)")
          .raise<ValueError>();
    }
    if (!loss_.is_defined()) {
      loss_ = losses::resolve(loss_identifier_, y.spec(), y_pred.spec());
    }
    total = loss_(y, y_pred, sample_weight);
    if (total.rank() != 0) {
      Message("compile")
          .expected("a loss that gives one number")
          .got(total.spec(), " from ", loss_.name())
          .hint("use a reduction other than none")
          .raise<ValueError>();
    }
  }
  for (const Tensor& penalty : losses()) {
    // Every replica adds it, and the replicas' losses are added up.
    const Tensor share = penalty / num_replicas_in_sync();
    total = total.is_defined() ? total + share : share;
  }
  if (!total.is_defined()) {
    Message("compile")
        .expected("a loss")
        .got("none")
        .hint("compile({.loss = \"...\"}), or add_loss in a layer")
        .raise<ValueError>();
  }
  return total;
}

void ModelBase::train_step(const StepBatch& batch) {
  GradientTape tape;
  const Tensor y_pred = (*this)(batch.x, true);
  output_spec_ = y_pred.spec();
  const Tensor loss = compute_loss(batch.y, y_pred, batch.sample_weight);
  const std::vector<Variable> variables = handle().trainable_variables();
  optimizer_.apply(tape.gradient(loss, variables), variables);
  update_metrics(loss, batch.y, y_pred, batch);
}

void ModelBase::test_step(const StepBatch& batch) {
  const Tensor y_pred = (*this)(batch.x, false);
  output_spec_ = y_pred.spec();
  const Tensor loss = compute_loss(batch.y, y_pred, batch.sample_weight);
  update_metrics(loss, batch.y, y_pred, batch);
}

Tensor ModelBase::predict_step(const Tensor& x) { return (*this)(x, false); }

void ModelBase::resolve_metrics(const Tensor& y, const Tensor& y_pred) {
  for (CompiledMetric& compiled : compiled_metrics_) {
    if (!compiled.metric.is_defined()) {
      compiled.metric =
          metrics::resolve(compiled.identifier, y.spec(), y_pred.spec());
    }
  }
}

void ModelBase::update_metrics(const Tensor& loss, const Tensor& y,
                               const Tensor& y_pred, const StepBatch& batch) {
  // The replicas' losses add up to the batch's: each counts for its share.
  const Tensor whole = loss * num_replicas_in_sync();
  if (batch.mean_rows.is_defined()) {
    loss_tracker_.update_state(whole, batch.mean_rows);
  } else {
    const int64_t rows = batch.x.rank() > 0 ? batch.x.shape()[0] : 1;
    loss_tracker_.update_state(whole, static_cast<float>(rows));
  }
  if (!y.is_defined()) return;
  resolve_metrics(y, y_pred);
  for (const CompiledMetric& compiled : compiled_metrics_) {
    if (compiled.weighted && batch.sample_weight.is_defined()) {
      compiled.metric.update_state(y, y_pred, batch.sample_weight);
    } else {
      compiled.metric.update_state(y, y_pred);
    }
  }
}

std::vector<metrics::Metric> ModelBase::metrics() {
  std::vector<metrics::Metric> all;
  if (loss_tracker_.is_defined()) all.push_back(loss_tracker_);
  for (const CompiledMetric& compiled : compiled_metrics_) {
    if (compiled.metric.is_defined()) all.push_back(compiled.metric);
  }
  return all;
}

std::vector<std::pair<std::string, metrics::Metric>>
ModelBase::named_metrics() {
  std::vector<std::pair<std::string, metrics::Metric>> all;
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::any_of(
        all, [&](const auto& entry) { return entry.first == name; });
  };
  if (loss_tracker_.is_defined()) {
    all.emplace_back(loss_tracker_.name(), loss_tracker_);
  }
  for (const CompiledMetric& compiled : compiled_metrics_) {
    if (!compiled.metric.is_defined()) continue;
    std::string name = compiled.metric.name();
    if (compiled.weighted && is_taken(name)) name = "weighted_" + name;
    std::string free = name;
    for (int i = 1; is_taken(free); ++i) free = name + "_" + std::to_string(i);
    all.emplace_back(std::move(free), compiled.metric);
  }
  return all;
}

void ModelBase::reset_metrics() {
  for (const metrics::Metric& metric : metrics()) metric.reset_state();
}

void ModelBase::place_metrics() {
  for (const metrics::Metric& metric : metrics()) {
    for (Variable variable : metric.variables()) {
      if (variable.state()->placement == placement_) continue;
      // The value over all replicas, before and afterwards.
      const Array value = variable.numpy();
      variable.state()->placement = placement_;
      variable.assign(value);
    }
  }
}

std::vector<std::pair<layers::Layer, Shape>> ModelBase::summary_rows() const {
  std::vector<std::pair<layers::Layer, Shape>> rows;
  for (const auto& [name, layer] : tracked()) rows.emplace_back(layer, Shape());
  return rows;
}

}  // namespace systolic::models
