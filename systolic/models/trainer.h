// Trainer: what fit, evaluate and predict launch for a chunk of batches.
#pragma once

#include <deque>
#include <vector>

#include "systolic/graph/step_plan.h"
#include "systolic/graph/storage.h"
#include "systolic/models/chunks.h"
#include "systolic/models/model_base.h"

namespace systolic::internal::models {

using systolic::models::MetricValues;
using systolic::models::Model;
using systolic::models::ModelBase;
using systolic::models::StepBatch;

/// Runs steps of one kind on a model's devices.
class StepRunner {
 public:
  enum class Kind { train, test };

  StepRunner(const Model& model, Kind kind);

  /// Called before each pass over data: callbacks may have changed what a step
  /// is, so the first steps are recorded anew.
  void begin_pass() { plans_.clear(); }

  /// Launches the steps of a chunk; returns before they have run.
  void run(const Chunk& chunk);

 private:
  void record(const StepBatch& batch);
  void record(const Chunk& chunk);
  void check_labels(const Chunk& chunk);
  void check_labels(const CompiledLoss::One& one, const Arrays& labels);

  Model model_;
  ModelBase& base_;
  Kind kind_;
  graph::StepPlans plans_;
  int64_t first_row_ = 0;
};

/// Where a plan is being made, says that it is of a step of fit.
void tell_plan(const Model& model, const SourceLocation& where);

/// Values of the loss and the metrics now; waits for the devices.
MetricValues metric_values(ModelBase& base);

/// Rows of predictions, gathered from the replicas in order.
class PredictRunner {
 public:
  explicit PredictRunner(const Model& model);

  /// Called before the pass over the data.
  void begin_pass() { plans_.clear(); }
  /// Launches the steps of a chunk; returns before they have run.
  void run(const Chunk& chunk);
  /// All rows so far, an Array for each output.
  Arrays finish();

 private:
  struct Pending {
    std::vector<graph::StoragePtr> outputs;
    int64_t rows;
    int64_t steps;
    bool is_stack;
  };
  std::vector<Tensor> launch(const Chunk& chunk);
  std::vector<Tensor> record(const Tensors& x);
  std::vector<Tensor> record_stack(const DeviceBatch& sent);
  const std::vector<TensorSpec>& result_specs(const DeviceBatch& sent);
  void collect();
  void collect_batch(size_t output, const std::vector<Array>& replicas,
                     int64_t rows);

  Model model_;
  ModelBase& base_;
  graph::StepPlans plans_;
  std::deque<Pending> pending_;
  // Of each output.
  std::vector<std::vector<Array>> parts_;
  std::vector<std::string> names_;
  // What a step gives for a stack of these specs.
  std::vector<TensorSpec> stack_specs_, result_specs_;
};

}  // namespace systolic::internal::models
