// Trainer: the loops behind fit, evaluate and predict.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "systolic/data/iterator.h"
#include "systolic/graph/step_plan.h"
#include "systolic/graph/storage.h"
#include "systolic/models/callbacks/callback.h"
#include "systolic/models/feed.h"
#include "systolic/models/model_base.h"

namespace systolic::internal::models {

using systolic::models::MetricValues;
using systolic::models::Model;
using systolic::models::ModelBase;
using systolic::models::StepBatch;

/// Reads batches of a data set, keeping one that ended a chunk for the next.
class BatchReader {
 public:
  /// What is taken of the data set's elements.
  enum class Takes : uint8_t { all, inputs };

  BatchReader(const data::Dataset& dataset, std::string_view who,
              Takes takes = Takes::all);

  /// Whether there is one more batch; waits for it.
  bool has_next();
  /// The next batch, or nothing at the end.
  std::optional<HostBatch> next();
  /// Puts a batch back in front.
  void put_back(HostBatch batch) { kept_ = std::move(batch); }
  /// Starts again from the beginning.
  void restart();

 private:
  data::Dataset dataset_;
  std::string_view who_;
  Takes takes_;
  data::Iterator iterator_;
  std::optional<HostBatch> kept_;
};

/// Runs steps of one kind on a model's devices.
class StepRunner {
 public:
  enum class Kind { train, test };

  StepRunner(const Model& model, Kind kind);

  /// Called before each pass over data: callbacks may have changed what a step
  /// is, so the first steps are recorded anew.
  void begin_pass() { plans_.clear(); }

  /// Launches up to `limit` steps (one execution) and returns how many there
  /// were data for.
  int64_t run(BatchReader& reader, int64_t limit);

  /// Launches one step.
  void run(const HostBatch& batch);

 private:
  void run_chunk(std::span<const HostBatch> batches, int64_t capacity);
  // Launches what `record` records of `sent`, as it was recorded before where
  // it repeats. `check` is called before the launch, once all is known.
  void launch(const DeviceBatch& sent, const std::function<void()>& record,
              const std::function<void()>& check);
  void record(const StepBatch& batch);
  void check_labels(const HostBatch& batch);

  Model model_;
  ModelBase& base_;
  Kind kind_;
  graph::StepPlans plans_;
  int64_t first_row_ = 0;
};

/// Values of the loss and the metrics now; waits for the devices.
MetricValues metric_values(ModelBase& base);

/// Rows of predictions, gathered from the replicas in order.
class PredictRunner {
 public:
  explicit PredictRunner(const Model& model);

  void run(const HostBatch& batch);
  /// All rows so far as one Array.
  Array finish();

 private:
  struct Pending {
    graph::StoragePtr storage;
    int64_t rows;
  };
  void collect();

  Model model_;
  ModelBase& base_;
  std::deque<Pending> pending_;
  std::vector<Array> parts_;
};

}  // namespace systolic::internal::models
