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

struct CompileOptions {
  optimizers::Identifier optimizer = "rmsprop";
  losses::Identifier loss = {};
  std::vector<metrics::Identifier> metrics = {};
  std::vector<metrics::Identifier> weighted_metrics = {};
  /// Steps that one launch runs on the device.
  int64_t steps_per_execution = 1;
};

/// Input data: a Dataset of batches, or Arrays that fit cuts into batches.
class DataSource {
 public:
  DataSource() = default;
  DataSource(data::Dataset dataset) : dataset_(std::move(dataset)) {}
  DataSource(Array x) : x_(std::move(x)) {}
  DataSource(std::pair<Array, Array> xy)
      : x_(std::move(xy.first)), y_(std::move(xy.second)) {}
  DataSource(Array x, Array y, Array sample_weight = {})
      : x_(std::move(x)),
        y_(std::move(y)),
        sample_weight_(std::move(sample_weight)) {}

  bool is_set() const { return dataset_.has_value() || x_.is_set(); }
  const std::optional<data::Dataset>& dataset() const { return dataset_; }
  const Array& x() const { return x_; }
  const Array& y() const { return y_; }
  const Array& sample_weight() const { return sample_weight_; }

 private:
  std::optional<data::Dataset> dataset_;
  Array x_, y_, sample_weight_;
};

/// How much fit and its siblings print: automatic is the bar on a terminal
/// and plain lines elsewhere.
enum class Verbose : int8_t { automatic = -1, silent = 0, bar = 1, line = 2 };

struct FitOptions {
  /// Only for Arrays; unset: 32.
  std::optional<int64_t> batch_size = {};
  int epochs = 1;
  Verbose verbose = Verbose::automatic;
  std::vector<callbacks::Callback> callbacks = {};
  /// Part of the Arrays, from their end, that is kept for validation.
  double validation_split = 0.0;
  DataSource validation_data = {};
  bool shuffle = true;
  Array sample_weight = {};
  int initial_epoch = 0;
  std::optional<int64_t> steps_per_epoch = {};
  std::optional<int64_t> validation_steps = {};
  std::optional<int64_t> validation_batch_size = {};
  int validation_freq = 1;
};

struct EvaluateOptions {
  std::optional<int64_t> batch_size = {};
  Verbose verbose = Verbose::automatic;
  Array sample_weight = {};
  std::optional<int64_t> steps = {};
  std::vector<callbacks::Callback> callbacks = {};
};

struct PredictOptions {
  std::optional<int64_t> batch_size = {};
  Verbose verbose = Verbose::automatic;
  std::optional<int64_t> steps = {};
  std::vector<callbacks::Callback> callbacks = {};
};

/// Names and values, in Keras's order: loss first.
using MetricValues = std::vector<std::pair<std::string, double>>;

struct SummaryOptions {
  /// Characters in a line of the table, at least 20; unset: 76, or up to 88
  /// as the terminal has room.
  std::optional<int> line_length = {};
};

class Model : public layers::Layer {
 public:
  Model() = default;
  explicit Model(std::shared_ptr<ModelBase> base);

  /// Sets optimizer, loss and metrics. Throws ValueError for unknown names.
  void compile(const CompileOptions& options) const;

  /// Trains on batches (or Arrays) and returns the history of the epochs.
  callbacks::History fit(const DataSource& data,
                         const FitOptions& options) const;
  callbacks::History fit(const DataSource& data) const;
  callbacks::History fit(const Array& x, const Array& y,
                         const FitOptions& options) const;

  /// Loss and metrics over the data, in the order of metrics_names().
  std::vector<double> evaluate(const DataSource& data,
                               const EvaluateOptions& options) const;
  std::vector<double> evaluate(const DataSource& data) const;
  std::vector<double> evaluate(const Array& x, const Array& y,
                               const EvaluateOptions& options) const;
  /// The same with their names (Keras: return_dict).
  MetricValues evaluate_dict(const DataSource& data,
                             const EvaluateOptions& options) const;

  /// The model's values for the data, one row for each of its rows, in order.
  Array predict(const DataSource& data, const PredictOptions& options) const;
  Array predict(const DataSource& data) const;

  /// One step on one batch; returns loss and metrics over this batch alone.
  MetricValues train_on_batch(const Array& x, const Array& y,
                              const Array& sample_weight = {}) const;
  MetricValues test_on_batch(const Array& x, const Array& y,
                             const Array& sample_weight = {}) const;
  Array predict_on_batch(const Array& x) const;

  /// The names of what evaluate returns.
  std::vector<std::string> metrics_names() const;
  std::vector<metrics::Metric> metrics() const;
  void reset_metrics() const;

  /// Throws ValueError before compile.
  optimizers::Optimizer optimizer() const;
  losses::Loss loss() const;

  /// Ends fit after the current batch when true.
  bool stop_training() const;
  void set_stop_training(bool stop) const;

  /// Prints Keras's table of layers; what is not built yet has "?" as shape.
  void summary(const SummaryOptions& options = {}) const;
  /// The table as text.
  std::string summary_text(const SummaryOptions& options = {}) const;

  ModelBase& base() const;
};

/// A handle on a new T, a subclass of ModelBase.
template <class T, class... Args>
Model make(Args&&... args) {
  return Model(std::make_shared<T>(std::forward<Args>(args)...));
}

}  // namespace systolic::models
