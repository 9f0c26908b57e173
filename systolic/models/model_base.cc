#include "systolic/models/model_base.h"

#include <algorithm>
#include <iterator>

#include "systolic/base/message.h"
#include "systolic/graph/context.h"
#include "systolic/graph/name_scope.h"
#include "systolic/graph/planning.h"
#include "systolic/graph/tape.h"
#include "systolic/metrics/reduction.h"
#include "systolic/models/logged_value.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/optimizers/loss_scale_optimizer.h"
#include "systolic/optimizers/optimizer_base.h"

namespace systolic::models {

using internal::Message;
using internal::models::in_order;

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
  internal::models::CompiledLoss loss(options.loss, options.loss_weights);
  internal::models::CompiledMetrics metrics(options.metrics,
                                            options.weighted_metrics);
  if (const auto names = output_names(); !names.empty()) {
    loss.build(names.size(), names);
    metrics.build(names.size(), names);
  }
  // As Keras: the small gradients of float16 would be 0.
  const bool scales = dtype_policy().name() == "mixed_float16" &&
                      optimizer.base().class_name() != "LossScaleOptimizer";
  optimizer_ = scales ? optimizers::LossScaleOptimizer(optimizer) : optimizer;
  loss_ = std::move(loss);
  metrics_ = std::move(metrics);
  steps_per_execution_ = options.steps_per_execution;
  // A sum is not to be taken for a mean.
  loss_tracker_ = metrics::Mean(loss_.has_sum() ? "loss_sum" : "loss");
  is_loss_untracked_ = false;
}

void ModelBase::require_compiled(std::string_view who) const {
  if (compiled()) return;
  Message(std::string(who))
      .rule("model \"", name(), "\" is not compiled")
      .hint("call model.compile({.optimizer = ..., .loss = ...}) first")
      .raise<ValueError>();
}

Tensor ModelBase::operator()(const Tensors& x, bool training) {
  return outputs(x, training).single();
}

Tensors ModelBase::outputs(const Tensors& x, bool training) {
  const std::vector<std::string> inputs = input_names();
  const std::vector<Tensor> ordered =
      x.names().empty() || inputs.empty()
          ? x.all()
          : in_order(x, inputs, inputs.size(), name(), "inputs");
  std::vector<Tensor> results =
      handle().call_all(ordered, {.training = training});
  output_specs_.clear();
  for (const Tensor& result : results) output_specs_.push_back(result.spec());
  const std::vector<std::string> names = output_names();
  if (results.size() == 1 || names.size() != results.size()) return results;
  std::vector<Tensors::Entry> entries;
  for (size_t i = 0; i < results.size(); ++i) {
    entries.emplace_back(names[i], std::move(results[i]));
  }
  return Tensors(entries);
}

Tensor ModelBase::compute_mask(const std::vector<Tensor>&,
                               const std::vector<Tensor>&) const {
  return {};
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

std::vector<Tensor> ModelBase::labels_of(const Tensors& y,
                                         const Tensors& y_pred) const {
  const bool tests = internal::graph::context().step_name == kTestStep;
  const std::string_view who = tests ? "evaluate" : "fit";
  if (!y.is_defined()) {
    Message(std::string(who))
        .expected("data with labels, since the model has a loss")
        .got("inputs alone")
        .hint("give pairs (x, y): Dataset::from_tensor_slices(x, y)")
        .raise<ValueError>();
  }
  const auto& losses = loss_.all();
  if (y.names().empty() && y.size() == losses.size()) {
    // Labels for those outputs alone that have a loss.
    std::vector<Tensor> labels(y_pred.size());
    for (size_t i = 0; i < losses.size(); ++i) labels[losses[i].output] = y[i];
    return labels;
  }
  return in_order(y, output_names(), y_pred.size(), who, "y");
}

std::vector<Tensor> ModelBase::weights_of(const Tensors& weight,
                                          const Tensors& y_pred) const {
  if (!weight.is_defined()) return {};
  if (weight.size() == 1 && weight.names().empty()) {
    return std::vector<Tensor>(y_pred.size(), weight[0]);
  }
  return in_order(weight, output_names(), y_pred.size(), "fit",
                  "sample_weight");
}

Tensor ModelBase::compute_loss(const Tensors&, const Tensors& y,
                               const Tensors& y_pred,
                               const Tensors& sample_weight) {
  const internal::graph::NameScope scope("loss", SourceLocation());
  Tensor total;
  if (loss_.is_set()) {
    loss_.build(y_pred.size(), output_names());
    const Tensor rows =
        step_ != nullptr
            ? rows_of(*step_)
            : constant(Array::scalar(static_cast<float>(y_pred[0].shape()[0])));
    total = loss_(labels_of(y, y_pred), y_pred,
                  weights_of(sample_weight, y_pred), rows);
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
  const Tensors y_pred = outputs(batch.x, true);
  const Tensor loss =
      compute_loss(batch.x, batch.y, y_pred, batch.sample_weight);
  const std::vector<Variable> variables = handle().trainable_variables();
  const Tensor scaled = optimizer_.scale_loss(loss);
  optimizer_.apply(tape.gradient(scaled, variables), variables);
  update_metrics(loss, batch.y, y_pred, batch);
}

void ModelBase::test_step(const StepBatch& batch) {
  const Tensors y_pred = outputs(batch.x, false);
  const Tensor loss =
      compute_loss(batch.x, batch.y, y_pred, batch.sample_weight);
  update_metrics(loss, batch.y, y_pred, batch);
}

Tensors ModelBase::predict_step(const Tensors& x) { return outputs(x, false); }

void ModelBase::begin_step(const StepBatch& batch) {
  step_ = &batch;
  tracks_loss_ = false;
}

void ModelBase::end_step() {
  step_ = nullptr;
  is_loss_untracked_ = !tracks_loss_;
}

// What a mean over the batch weighs, as a float32 scalar.
Tensor ModelBase::rows_of(const StepBatch& batch) const {
  if (batch.mean_rows.is_defined()) return batch.mean_rows;
  const Tensor& x = batch.x[0];
  return Arg(static_cast<float>(x.rank() > 0 ? x.shape()[0] : 1)).tensor();
}

void ModelBase::track_loss(const Tensor& loss, const StepBatch& batch) {
  // The replicas' losses add up to the batch's: each counts for its share.
  loss_tracker_.update_state(loss * num_replicas_in_sync(), rows_of(batch));
  tracks_loss_ = true;
}

void ModelBase::update_metrics(const Tensor& loss, const Tensors& y,
                               const Tensors& y_pred, const StepBatch& batch) {
  track_loss(loss, batch);
  if (!y.is_defined()) return;
  metrics_.build(y_pred.size(), output_names());
  if (metrics_.all().empty()) return;
  metrics_.update(labels_of(y, y_pred), y_pred,
                  weights_of(batch.sample_weight, y_pred));
}

void ModelBase::log_value(const std::string& name, const Tensor& value,
                          LogReduction reduction) {
  if (value.rank() != 0) {
    error()
        .expected("a number to log as \"", name, "\"")
        .got(value.spec())
        .hint("take its mean or sum first")
        .raise<ShapeError>();
  }
  const auto known = std::ranges::find(
      logged_, name, &std::pair<std::string, metrics::Metric>::first);
  if (known != logged_.end()) {
    known->second.update_state(value);
    return;
  }
  logged_.emplace_back(name,
                       internal::models::make_logged_value(name, reduction));
  track_metric(logged_.back().second).update_state(value);
}

metrics::Metric ModelBase::track_metric(metrics::Metric metric) {
  metric.base();  // throws where there is none
  own_metrics_.push_back(metric);
  return metric;
}

std::vector<metrics::Metric> ModelBase::metrics() {
  std::vector<metrics::Metric> all;
  if (loss_tracker_.is_defined() && !is_loss_untracked_) {
    all.push_back(loss_tracker_);
  }
  for (const auto& one : metrics_.all()) {
    if (one.metric.is_defined()) all.push_back(one.metric);
  }
  for (const auto& one : loss_.all()) {
    if (one.tracker.is_defined()) all.push_back(one.tracker);
  }
  all.insert(all.end(), own_metrics_.begin(), own_metrics_.end());
  return all;
}

std::vector<std::pair<std::string, metrics::Metric>>
ModelBase::named_metrics() {
  std::vector<std::pair<std::string, metrics::Metric>> first, last;
  const auto is_taken = [&](const std::string& name) {
    const auto has = [&](const auto& entry) { return entry.first == name; };
    return std::ranges::any_of(first, has) || std::ranges::any_of(last, has);
  };
  for (const metrics::Metric& metric : metrics()) {
    const auto& compiled = metrics_.all();
    const auto one = std::ranges::find_if(compiled, [&](const auto& known) {
      return known.metric.is_defined() &&
             &known.metric.base() == &metric.base();
    });
    const std::string output = one == compiled.end() || one->output_name.empty()
                                   ? ""
                                   : one->output_name + "_";
    std::string name = output + metric.name();
    if (one != compiled.end() && one->weighted && is_taken(name)) {
      name = output + "weighted_" + metric.name();
    }
    std::string free = name;
    for (int i = 1; is_taken(free); ++i) free = name + "_" + std::to_string(i);
    (output.empty() ? first : last).emplace_back(std::move(free), metric);
  }
  // Keras's evaluate has those of one of several outputs behind, sorted.
  std::ranges::sort(last, {}, [](const auto& entry) { return entry.first; });
  std::ranges::move(last, std::back_inserter(first));
  return first;
}

void ModelBase::reset_metrics() {
  for (const metrics::Metric& metric : metrics()) metric.reset_state();
}

void ModelBase::place_metrics() {
  for (const metrics::Metric& metric : metrics()) {
    for (Variable variable : metric.variables()) {
      if (variable.state()->placement == placement_) continue;
      if (auto* planning = internal::graph::Planning::current()) {
        planning->take_value(variable.state(), placement_);
        continue;
      }
      // The value over all replicas, before and afterwards.
      const Array value = variable.numpy();
      variable.state()->placement = placement_;
      variable.assign(value);
    }
  }
}

std::vector<SummaryRow> ModelBase::summary_rows() const {
  std::vector<SummaryRow> rows;
  for (const auto& [name, layer] : tracked()) {
    rows.push_back({.layer = layer,
                    .name = layer.name(),
                    .class_name = std::string(layer.class_name())});
  }
  return rows;
}

}  // namespace systolic::models
