// What fit, evaluate, predict and summary are told.
//
//   model.fit(x, y, {.batch_size = 64, .epochs = 5, .validation_split = 0.1});
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/base/optional_int.h"
#include "systolic/models/arrays.h"
#include "systolic/models/callbacks/handle.h"
#include "systolic/models/verbose.h"

namespace systolic::models {

/// How the replicas' numbers of a step become the one that is logged: added,
/// which is what losses are made for, averaged, or the first replica's.
enum class LogReduction : uint8_t { sum, mean, first };

/// Weights of classes by their numbers.
using ClassWeight = std::map<int64_t, double>;

/// What fit does, as Keras's fit takes it.
struct FitOptions {
  /// Only for Arrays; unset: 32.
  OptionalInt batch_size = {};
  /// Where training ends: Keras counts initial_epoch in. Under 0 throws
  /// ValueError.
  int epochs = 1;
  /// How much is printed: 0, 1 or 2 as in Keras, or a name.
  VerboseOption verbose = {};
  /// Called in this order; an undefined one throws ValueError.
  std::vector<callbacks::Callback> callbacks = {};
  /// Part of the Arrays, from their end, that is kept for validation.
  double validation_split = 0.0;
  /// Evaluated after epochs; goes before validation_split.
  DataSource validation_data = {};
  /// Whether each epoch shuffles the rows; only for Arrays.
  bool shuffle = true;
  /// A weight for each class in the loss; 1 for those left out. For models
  /// with one output.
  ClassWeight class_weight = {};
  /// A weight for each row of the Arrays in the loss, or for each place in
  /// it; unset: all count alike. Several for several outputs.
  Arrays sample_weight = {};
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
  /// How much is printed: 0, 1 or 2 as in Keras, or a name.
  VerboseOption verbose = {};
  /// A weight for each row of the Arrays; unset: all count alike.
  Arrays sample_weight = {};
  /// Batches to evaluate; unset: until the data end.
  OptionalInt steps = {};
  /// Called in this order.
  std::vector<callbacks::Callback> callbacks = {};
};

/// What predict does, as Keras's predict takes it.
struct PredictOptions {
  /// Only for Arrays; unset: 32.
  OptionalInt batch_size = {};
  /// How much is printed: 0, 1 or 2 as in Keras, or a name.
  VerboseOption verbose = {};
  /// Batches to predict; unset: until the data end.
  OptionalInt steps = {};
  /// Called in this order.
  std::vector<callbacks::Callback> callbacks = {};
};

/// What a functional model is told.
struct ModelOptions {
  /// Whether training updates the weights of its layers.
  bool trainable = true;
  /// The name, without "/"; empty: Keras's, such as "functional".
  std::string name = {};
};

/// What plan looks at: a training step of fit on a TPU that need not be there.
struct PlanOptions {
  /// The TPU: "v3-8", "v5e-16", "v6e-8"; all its cores are replicas.
  std::string topology = "v3-8";
  /// Rows of a batch, all replicas together; unset: 128 for each replica.
  OptionalInt batch_size = {};
  /// Steps of a launch; unset: as compile said.
  OptionalInt steps_per_execution = {};
  /// The inputs without their batch; empty: those of the model. Needed where a
  /// model does not know its inputs' shapes.
  std::vector<TensorSpec> x = {};
  /// The labels without their batch; empty: class numbers where the loss takes
  /// some, else like the model's outputs.
  std::vector<TensorSpec> y = {};
};

/// Names and values, in Keras's order: loss first.
using MetricValues = std::vector<std::pair<std::string, double>>;

/// How summary lays out its table.
struct SummaryOptions {
  /// Characters in a line of the table, at least 20; unset: 76, or up to 88
  /// as the terminal has room.
  std::optional<int> line_length = {};
};

}  // namespace systolic::models
