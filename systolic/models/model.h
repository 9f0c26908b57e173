// Model: layers with a training loop: compile, fit, evaluate, predict.
//
//   models::Sequential model({layers::Dense(10)});
//   model.compile({.optimizer = "adam", .loss = "mse"});
//   auto history = model.fit(x, y, {.epochs = 5});
//
// A handle, and a Layer; copies share the object.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/base/optional_int.h"
#include "systolic/data/dataset.h"
#include "systolic/layers/layer.h"
#include "systolic/losses/catalog.h"
#include "systolic/metrics/catalog.h"
#include "systolic/models/callbacks/handle.h"
#include "systolic/optimizers/catalog.h"

namespace systolic::callbacks {
class History;
}  // namespace systolic::callbacks

namespace systolic::models {

class ModelBase;

/// What compile sets, as Keras's compile takes it.
struct CompileOptions {
  /// Name or optimizer; the default is Keras's.
  optimizers::Identifier optimizer = "rmsprop";
  /// Name or loss; unset: only what layers add (add_loss, regularizers).
  losses::Identifier loss = {};
  /// Names or metrics that take no sample weights.
  std::vector<metrics::Identifier> metrics = {};
  /// Names or metrics that take the sample weights.
  std::vector<metrics::Identifier> weighted_metrics = {};
  /// Steps that one launch runs on the device.
  int64_t steps_per_execution = 1;
};

/// Input data: a Dataset of batches, or Arrays that fit cuts into batches.
class DataSource {
 public:
  /// No data; is_set() is false.
  DataSource() = default;
  /// A Dataset whose elements are batches: x, (x, y) or (x, y, weights).
  DataSource(data::Dataset dataset) : dataset_(std::move(dataset)) {}
  /// Inputs alone, one row each.
  DataSource(Array x) : x_(std::move(x)) {}
  /// Inputs and labels, as a pair.
  DataSource(std::pair<Array, Array> xy)
      : x_(std::move(xy.first)), y_(std::move(xy.second)) {}
  /// Inputs, labels and, where set, a weight for each row.
  DataSource(Array x, Array y, Array sample_weight = {})
      : x_(std::move(x)),
        y_(std::move(y)),
        sample_weight_(std::move(sample_weight)) {}

  /// Whether there is any data.
  bool is_set() const { return dataset_.has_value() || x_.is_set(); }
  /// The Dataset; unset where the data are Arrays.
  const std::optional<data::Dataset>& dataset() const { return dataset_; }
  /// The inputs; unset for a Dataset.
  const Array& x() const { return x_; }
  /// The labels; unset for a Dataset or inputs alone.
  const Array& y() const { return y_; }
  /// The rows' weights; unset for a Dataset or where none were given.
  const Array& sample_weight() const { return sample_weight_; }

 private:
  std::optional<data::Dataset> dataset_;
  Array x_, y_, sample_weight_;
};

/// How much fit and its siblings print: automatic is the bar on a terminal
/// and plain lines elsewhere.
enum class Verbose : int8_t { automatic = -1, silent = 0, bar = 1, line = 2 };

/// What fit does, as Keras's fit takes it.
struct FitOptions {
  /// Only for Arrays; unset: 32.
  OptionalInt batch_size = {};
  /// Where training ends: Keras counts initial_epoch in. Under 0 throws
  /// ValueError.
  int epochs = 1;
  /// How much is printed.
  Verbose verbose = Verbose::automatic;
  /// Called in this order; an undefined one throws ValueError.
  std::vector<callbacks::Callback> callbacks = {};
  /// Part of the Arrays, from their end, that is kept for validation.
  double validation_split = 0.0;
  /// Evaluated after epochs; goes before validation_split.
  DataSource validation_data = {};
  /// Whether each epoch shuffles the rows; only for Arrays.
  bool shuffle = true;
  /// A weight for each row of the Arrays in the loss; unset: all count alike.
  Array sample_weight = {};
  /// The first epoch, counted from 0: to go on with an earlier run.
  int initial_epoch = 0;
  /// Batches in an epoch; unset: until the data end.
  OptionalInt steps_per_epoch = {};
  /// Batches of a validation; unset: until the data end.
  OptionalInt validation_steps = {};
  /// Only for Arrays; unset: as batch_size.
  OptionalInt validation_batch_size = {};
  /// Epochs from one validation to the next; under 1 throws ValueError.
  int validation_freq = 1;
};

/// What evaluate does, as Keras's evaluate takes it.
struct EvaluateOptions {
  /// Only for Arrays; unset: 32.
  OptionalInt batch_size = {};
  /// How much is printed.
  Verbose verbose = Verbose::automatic;
  /// A weight for each row of the Arrays; unset: all count alike.
  Array sample_weight = {};
  /// Batches to evaluate; unset: until the data end.
  OptionalInt steps = {};
  /// Called in this order.
  std::vector<callbacks::Callback> callbacks = {};
};

/// What predict does, as Keras's predict takes it.
struct PredictOptions {
  /// Only for Arrays; unset: 32.
  OptionalInt batch_size = {};
  /// How much is printed.
  Verbose verbose = Verbose::automatic;
  /// Batches to predict; unset: until the data end.
  OptionalInt steps = {};
  /// Called in this order.
  std::vector<callbacks::Callback> callbacks = {};
};

/// Names and values, in Keras's order: loss first.
using MetricValues = std::vector<std::pair<std::string, double>>;

/// How summary lays out its table.
struct SummaryOptions {
  /// Characters in a line of the table, at least 20; unset: 76, or up to 88
  /// as the terminal has room.
  std::optional<int> line_length = {};
};

/// Handle on a model; see the top of this file.
class Model : public layers::Layer {
 public:
  /// An undefined handle.
  Model() = default;
  /// A handle on `base`.
  explicit Model(std::shared_ptr<ModelBase> base);

  /// Sets optimizer, loss and metrics. Throws ValueError for unknown names.
  void compile(const CompileOptions& options) const;

  /// Trains on batches (or Arrays) and returns the history of the epochs.
  callbacks::History fit(const DataSource& data,
                         const FitOptions& options) const;
  /// The same with default options.
  callbacks::History fit(const DataSource& data) const;
  /// The same for inputs and labels, one row each.
  callbacks::History fit(const Array& x, const Array& y,
                         const FitOptions& options) const;

  /// Loss and metrics over the data, in the order of metrics_names().
  std::vector<double> evaluate(const DataSource& data,
                               const EvaluateOptions& options) const;
  /// The same with default options.
  std::vector<double> evaluate(const DataSource& data) const;
  /// The same for inputs and labels, one row each.
  std::vector<double> evaluate(const Array& x, const Array& y,
                               const EvaluateOptions& options) const;
  /// The same with their names (Keras: return_dict).
  MetricValues evaluate_dict(const DataSource& data,
                             const EvaluateOptions& options) const;

  /// The model's values for the data, one row for each of its rows, in order.
  Array predict(const DataSource& data, const PredictOptions& options) const;
  /// The same with default options.
  Array predict(const DataSource& data) const;

  /// One step on one batch; returns loss and metrics over this batch alone.
  MetricValues train_on_batch(const Array& x, const Array& y,
                              const Array& sample_weight = {}) const;
  /// Loss and metrics over this batch alone, without training on it.
  MetricValues test_on_batch(const Array& x, const Array& y,
                             const Array& sample_weight = {}) const;
  /// The model's values for one batch.
  Array predict_on_batch(const Array& x) const;

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
