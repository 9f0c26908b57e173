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
  Tensor x;
  /// Undefined where the data has no labels.
  Tensor y;
  Tensor sample_weight;
  /// Real rows over all replicas divided by their number (float32 scalar):
  /// what a mean over the batch weighs. Undefined: all rows are real.
  Tensor mean_rows;
};

/// A metric of compile, and whether it takes the sample weights.
struct CompiledMetric {
  metrics::Identifier identifier;
  metrics::Metric metric;  // undefined until the shapes are known
  bool weighted = false;
};

/// What the steps are called in messages.
inline constexpr std::string_view kTrainStep = "train_step";
inline constexpr std::string_view kTestStep = "test_step";

class ModelBase : public layers::LayerBase {
 public:
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

  void compile(const CompileOptions& options);
  bool compiled() const { return optimizer_.is_defined(); }
  /// Throws ValueError before compile.
  void require_compiled(std::string_view who) const;
  const optimizers::Optimizer& optimizer() const { return optimizer_; }
  const losses::Loss& compiled_loss() const { return loss_; }
  int64_t steps_per_execution() const { return steps_per_execution_; }

  /// The loss tracker, then the compiled metrics.
  std::vector<metrics::Metric> metrics();
  /// The same under the names of logs: Keras tells two of a name apart as
  /// `weighted_<name>` or `<name>_1`.
  std::vector<std::pair<std::string, metrics::Metric>> named_metrics();
  void reset_metrics();
  /// Takes the state of metrics that were made elsewhere, such as outside of
  /// the strategy's scope, to where the model is.
  void place_metrics();

  bool stop_training() const { return stop_training_; }
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
