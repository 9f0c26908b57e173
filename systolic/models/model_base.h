// ModelBase: what a model is. Derive from it to write one: `call` as for a
// layer, and train_step or test_step where the loop should do otherwise.
//
//   struct Mine : models::ModelBase {
//     Tensor call(Tensor x, layers::CallContext context) override { ... }
//     void train_step(const models::StepBatch& batch) override { ... }
//   };
//   models::Model model = models::make<Mine>();
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "systolic/graph/placement.h"
#include "systolic/layers/layer_base.h"
#include "systolic/models/compiled.h"
#include "systolic/models/model.h"

namespace systolic::internal::models {
class FunctionalGraph;
}  // namespace systolic::internal::models

namespace systolic::models {

/// One batch inside a step: this replica's rows. Of several inputs or outputs
/// each part has several Tensors, under names where the data have some.
struct StepBatch {
  /// The inputs, rows first.
  Tensors x;
  /// Undefined where the data has no labels.
  Tensors y;
  /// A weight for each row; undefined where the data have none.
  Tensors sample_weight;
  /// Real rows over all replicas divided by their number (float32 scalar):
  /// what a mean over the batch weighs. Undefined: all rows are real.
  Tensor mean_rows;
};

/// A row of a model's summary.
struct SummaryRow {
  /// Undefined for an operation that is no layer's.
  layers::Layer layer = {};
  /// The name of the layer or operation, and of its class.
  std::string name = {};
  std::string class_name = {};
  /// Of the output, as printed; empty: not known.
  std::string shape = {};
  /// Keras's "Connected to"; unset: the model is one line of layers.
  std::optional<std::string> connections = {};
};

/// What the steps are called in messages.
inline constexpr std::string_view kTrainStep = "train_step";
inline constexpr std::string_view kTestStep = "test_step";

/// What a Model shares; derive from it to write a model.
class ModelBase : public layers::LayerBase {
 public:
  /// A model placed by the strategy whose scope is open.
  explicit ModelBase(layers::LayerOptions options = {});

  /// Records one training step: forward pass, loss, gradients, update,
  /// metrics.
  virtual void train_step(const StepBatch& batch);
  /// Records one evaluation step.
  virtual void test_step(const StepBatch& batch);
  /// Records one prediction step.
  virtual Tensors predict_step(const Tensors& x);

  /// The loss of a batch: that of compile, and what layers add. In a
  /// replicated step the replicas' values add up to it.
  virtual Tensor compute_loss(const Tensors& x, const Tensors& y,
                              const Tensors& y_pred,
                              const Tensors& sample_weight);

  /// The metrics whose values steps log: those of compile, those tracked.
  virtual std::vector<metrics::Metric> metrics();

  /// The model's value, as its handle's call gives it; of several outputs,
  /// all of them. Inputs by name go to the input layers of those names.
  Tensor operator()(const Tensors& x, bool training);
  Tensors outputs(const Tensors& x, bool training);

  /// The handle that owns it. Throws ValueError where there is none.
  Model handle() const;

  /// Takes a batch's loss, as compute_loss gave it, into the loss tracker.
  void track_loss(const Tensor& loss, const StepBatch& batch);
  /// Takes a batch into the loss tracker and the compiled metrics.
  void update_metrics(const Tensor& loss, const Tensors& y,
                      const Tensors& y_pred, const StepBatch& batch);

  /// Sets optimizer, loss and metrics; nothing changes where it throws
  /// ValueError: an unknown name, or steps_per_execution under 1.
  void compile(const CompileOptions& options);
  /// Whether compile was called.
  bool compiled() const { return optimizer_.is_defined(); }
  /// Throws ValueError before compile.
  void require_compiled(std::string_view who) const;
  /// The optimizer of compile; undefined before.
  const optimizers::Optimizer& optimizer() const { return optimizer_; }
  /// The losses of compile; known at the latest with the first batch.
  const internal::models::CompiledLoss& compiled_loss() const { return loss_; }
  /// The specs of what the last recorded step predicted, per replica.
  const std::vector<TensorSpec>& output_specs() const { return output_specs_; }
  /// Steps that one launch runs on the device.
  int64_t steps_per_execution() const { return steps_per_execution_; }

  /// metrics() under the names of logs: Keras tells two of a name apart as
  /// `weighted_<name>` or `<name>_1`.
  std::vector<std::pair<std::string, metrics::Metric>> named_metrics();
  /// Sets the state of all metrics back to its start.
  void reset_metrics();
  /// Takes the state of metrics that were made elsewhere, such as outside of
  /// the strategy's scope, to where the model is.
  void place_metrics();

  /// Whether fit ends after the current batch.
  bool stop_training() const { return stop_training_; }
  /// Sets stop_training.
  void set_stop_training(bool stop) { stop_training_ = stop; }

  /// Where its weights and steps are: the strategy whose scope it was made
  /// in.
  const internal::graph::Placement* placement() const { return placement_; }

  /// For a plan: has its steps be for other devices; gives those before.
  const internal::graph::Placement* exchange_placement(
      const internal::graph::Placement* placement) {
    return std::exchange(placement_, placement);
  }

  /// Rows of the summary: the layers with the shapes of their outputs.
  virtual std::vector<SummaryRow> summary_rows() const;

  /// The graph of a functional model, else null; a Sequential is one as soon
  /// as the shape of its input is known.
  virtual const internal::models::FunctionalGraph* graph() { return nullptr; }

  /// The names that dicts of inputs, labels and losses go by; empty where the
  /// model has none.
  virtual std::vector<std::string> input_names() const { return {}; }
  virtual std::vector<std::string> output_names() const { return {}; }

  /// What its layers give may have a mask.
  bool supports_masking() const override { return true; }
  Tensor compute_mask(const std::vector<Tensor>& inputs,
                      const std::vector<Tensor>& masks) const override;

  /// Called before a step is recorded with its batch, and after it.
  void begin_step(const StepBatch& batch);
  void end_step();

 protected:
  /// Takes a metric of one's own in, whose value is logged. Returns it.
  metrics::Metric track_metric(metrics::Metric metric);
  /// Logs a number of the step that is recorded: that of the last step, made
  /// one of all replicas' numbers. Throws ShapeError for what is no scalar.
  void log_value(const std::string& name, const Tensor& value,
                 LogReduction reduction = LogReduction::sum);

 private:
  friend class Model;
  Tensor rows_of(const StepBatch& batch) const;
  std::vector<Tensor> labels_of(const Tensors& y, const Tensors& y_pred) const;
  std::vector<Tensor> weights_of(const Tensors& weight,
                                 const Tensors& y_pred) const;

  std::weak_ptr<ModelBase> self_;
  std::vector<TensorSpec> output_specs_;
  optimizers::Optimizer optimizer_;
  internal::models::CompiledLoss loss_;
  internal::models::CompiledMetrics metrics_;
  std::vector<metrics::Metric> own_metrics_;
  std::vector<std::pair<std::string, metrics::Metric>> logged_;
  metrics::Metric loss_tracker_;
  // Whether a step of one's own leaves the loss tracker alone.
  bool is_loss_untracked_ = false;
  bool tracks_loss_ = false;
  const StepBatch* step_ = nullptr;
  int64_t steps_per_execution_ = 1;
  bool stop_training_ = false;
  const internal::graph::Placement* placement_;
};

}  // namespace systolic::models
