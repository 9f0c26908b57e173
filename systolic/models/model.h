// Model: layers with a training loop: compile, fit, evaluate, predict.
//
//   models::Sequential model({layers::Dense(10)});
//   model.compile({.optimizer = "adam", .loss = "mse"});
//   auto history = model.fit(x, y, {.epochs = 5});
//
//   Tensor input = layers::Input({784});
//   models::Model functional(input, layers::Dense(10)(input));
//
// A handle, and a Layer; copies share the object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/call_site.h"
#include "systolic/layers/layer.h"
#include "systolic/models/compile_options.h"
#include "systolic/models/options.h"
#include "systolic/models/tensors.h"
#include "systolic/plan/plan.h"

namespace systolic::callbacks {
class History;
}  // namespace systolic::callbacks

namespace systolic::models {

class ModelBase;

/// Handle on a model; see the top of this file.
class Model : public layers::Layer {
 public:
  /// Where a member was called: errors of what it runs end with it.
  using Site = internal::CallSite;

  /// An undefined handle.
  Model() = default;
  /// A handle on `base`.
  explicit Model(std::shared_ptr<ModelBase> base);
  /// A functional model: what lies between symbolic Tensors that Input gave
  /// and what layers and ops made of them. Throws ValueError where an output
  /// needs an input that is not given, and for two layers of one name.
  Model(const Tensors& inputs, const Tensors& outputs,
        ModelOptions options = {});

  /// Sets optimizer, loss and metrics. Throws ValueError for unknown names.
  void compile(const CompileOptions& options) const;

  /// Trains on batches (or Arrays) and returns the history of the epochs.
  callbacks::History fit(const DataSource& data, const FitOptions& options = {},
                         Site where = SourceLocation::current()) const;
  /// The same for inputs and labels, one row each.
  callbacks::History fit(const Arrays& x, const Arrays& y,
                         const FitOptions& options,
                         Site where = SourceLocation::current()) const;

  /// Loss and metrics over the data, in the order of metrics_names().
  std::vector<double> evaluate(const DataSource& data,
                               const EvaluateOptions& options = {},
                               Site where = SourceLocation::current()) const;
  /// The same for inputs and labels, one row each.
  std::vector<double> evaluate(const Arrays& x, const Arrays& y,
                               const EvaluateOptions& options,
                               Site where = SourceLocation::current()) const;
  /// The same with their names (Keras: return_dict).
  MetricValues evaluate_dict(const DataSource& data,
                             const EvaluateOptions& options = {},
                             Site where = SourceLocation::current()) const;

  /// The model's values for the data, one row for each of its rows, in order.
  /// Throws ValueError for a model with several outputs.
  Array predict(const DataSource& data, const PredictOptions& options = {},
                Site where = SourceLocation::current()) const;
  /// The same for all outputs, under their names where the model has some.
  Arrays predict_all(const DataSource& data, const PredictOptions& options = {},
                     Site where = SourceLocation::current()) const;

  /// What a step of fit would cost on a TPU: whether it fits, how long it
  /// takes, what bounds it. Nothing is computed, and weights need no memory.
  /// Throws ValueError for an unknown topology, a batch that does not divide,
  /// a model whose inputs are not known; NotFoundError where libtpu is not
  /// installed; PlatformError where the TPU's compiler refuses the program.
  plan::Plan plan(const PlanOptions& options = {},
                  Site where = SourceLocation::current()) const;

  /// One step on one batch; returns loss and metrics over this batch alone.
  MetricValues train_on_batch(const Arrays& x, const Arrays& y,
                              const Arrays& sample_weight = {},
                              const ClassWeight& class_weight = {},
                              Site where = SourceLocation::current()) const;
  /// Loss and metrics over this batch alone, without training on it.
  MetricValues test_on_batch(const Arrays& x, const Arrays& y,
                             const Arrays& sample_weight = {},
                             Site where = SourceLocation::current()) const;
  /// The model's values for one batch.
  Array predict_on_batch(const Arrays& x,
                         Site where = SourceLocation::current()) const;

  /// The names of what evaluate returns.
  std::vector<std::string> metrics_names() const;
  /// The loss tracker, then the metrics of compile.
  std::vector<metrics::Metric> metrics() const;
  /// Sets the state of all metrics back to its start.
  void reset_metrics() const;

  /// Throws ValueError before compile.
  optimizers::Optimizer optimizer() const;
  /// Throws ValueError before compile.
  losses::Loss loss() const;

  /// Ends fit after the current batch when true.
  bool stop_training() const;
  /// Sets stop_training; callbacks end fit with true.
  void set_stop_training(bool stop) const;

  /// The symbolic inputs and outputs of a functional model, or of a Sequential
  /// whose input's shape is known. Throws ValueError for other models.
  std::vector<Tensor> inputs() const;
  std::vector<Tensor> outputs() const;
  /// The only one of those; throws ValueError for several.
  Tensor input() const;
  Tensor output() const;
  /// The names of inputs and outputs that dicts of data go by; empty where the
  /// model has none.
  std::vector<std::string> input_names() const;
  std::vector<std::string> output_names() const;

  /// One of its layers, by name or place (negative: from the end). Throws
  /// ValueError that lists the names.
  layers::Layer get_layer(std::string_view name) const;
  layers::Layer get_layer(int64_t index) const;

  /// Prints Keras's table of layers; what is not built yet has "?" as shape.
  void summary(const SummaryOptions& options = {}) const;
  /// The table as text.
  std::string summary_text(const SummaryOptions& options = {}) const;

  /// The object that the handle shares.
  ModelBase& base() const;
};

/// A handle on a new T, a subclass of ModelBase.
template <class T, class... Args>
Model make(Args&&... args) {
  return Model(std::make_shared<T>(std::forward<Args>(args)...));
}

}  // namespace systolic::models
