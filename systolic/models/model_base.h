// ModelBase: what a model is. Derive from it to write one: `call` as for a
// layer, and train_step or test_step where the loop should do otherwise.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "systolic/graph/placement.h"
#include "systolic/layers/layer_base.h"
#include "systolic/metrics/reduction.h"
#include "systolic/models/model.h"

namespace systolic::models {

/// One batch inside a step: this replica's rows.
struct StepBatch {
  /// The inputs, rows first.
  Tensor x;
  /// Undefined where the data has no labels.
  Tensor y;
  /// A weight for each row; undefined where the data have none.
  Tensor sample_weight;
  /// Real rows over all replicas divided by their number (float32 scalar):
  /// what a mean over the batch weighs. Undefined: all rows are real.
  Tensor mean_rows;
};

/// A metric of compile, and whether it takes the sample weights.
struct CompiledMetric {
  /// As compile got it.
  metrics::Identifier identifier;
  metrics::Metric metric;  // undefined until the shapes are known
  /// Whether it takes the sample weights.
  bool weighted = false;
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
  virtual Tensor predict_step(const Tensor& x);

  /// The model's value, as its handle's call gives it.
  Tensor operator()(const Tensor& x, bool training);

  /// The handle that owns it. Throws ValueError where there is none.
  Model handle() const;

  /// The spec of what the last recorded step predicted, per replica.
  const TensorSpec& output_spec() const { return output_spec_; }

  /// The loss of a batch, regularization included. In a replicated step the
  /// replicas' values add up to it.
  Tensor compute_loss(const Tensor& y, const Tensor& y_pred,
                      const Tensor& sample_weight);
  /// Takes a batch into the loss tracker and the compiled metrics.
  void update_metrics(const Tensor& loss, const Tensor& y, const Tensor& y_pred,
                      const StepBatch& batch);

  /// Sets optimizer, loss and metrics; nothing changes where it throws
  /// ValueError: an unknown name, or steps_per_execution under 1.
  void compile(const CompileOptions& options);
  /// Whether compile was called.
  bool compiled() const { return optimizer_.is_defined(); }
  /// Throws ValueError before compile.
  void require_compiled(std::string_view who) const;
  /// The optimizer of compile; undefined before.
  const optimizers::Optimizer& optimizer() const { return optimizer_; }
  /// The loss of compile; undefined until known, at the latest with the first
  /// batch, and where there is none.
  const losses::Loss& compiled_loss() const { return loss_; }
  /// Steps that one launch runs on the device.
  int64_t steps_per_execution() const { return steps_per_execution_; }

  /// The loss tracker, then the compiled metrics.
  std::vector<metrics::Metric> metrics();
  /// The same under the names of logs: Keras tells two of a name apart as
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

  /// Shapes of the layers' outputs for the summary.
  virtual std::vector<std::pair<layers::Layer, Shape>> summary_rows() const;

 private:
  friend class Model;
  void resolve_metrics(const Tensor& y, const Tensor& y_pred);

  std::weak_ptr<ModelBase> self_;
  TensorSpec output_spec_;
  optimizers::Optimizer optimizer_;
  losses::Identifier loss_identifier_;
  losses::Loss loss_;
  metrics::Metric loss_tracker_;
  std::vector<CompiledMetric> compiled_metrics_;
  int64_t steps_per_execution_ = 1;
  bool stop_training_ = false;
  const internal::graph::Placement* placement_;
};

}  // namespace systolic::models
