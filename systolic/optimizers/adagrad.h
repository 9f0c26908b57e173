// Adagrad, Adadelta: steps scaled by the gradients so far.
//
//   optimizers::Adagrad(0.1);
//
// Duchi et al. 2011; Zeiler 2012.
#pragma once

#include <optional>
#include <string>

#include "systolic/optimizers/optimizer.h"

namespace systolic::optimizers {

/// Options of Adagrad.
struct AdagradOptions {
  /// Factor of each step.
  Rate learning_rate = 0.001;
  /// First value of the sums of squares.
  double initial_accumulator_value = 0.1;
  /// Added to divisors.
  double epsilon = 1e-7;
  /// As in OptimizerOptions.
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  /// Empty: numbered, from the class's name in snake case.
  std::string name = {};

  /// Calls v(key, value) for each option.
  template <class V>
  void visit(V&& v) const {
    v("learning_rate", learning_rate);
    v("initial_accumulator_value", initial_accumulator_value);
    v("epsilon", epsilon);
    v("weight_decay", weight_decay);
    v("clipnorm", clipnorm);
    v("clipvalue", clipvalue);
    v("global_clipnorm", global_clipnorm);
    v("use_ema", use_ema);
    v("ema_momentum", ema_momentum);
    v("ema_overwrite_frequency", ema_overwrite_frequency);
    v("loss_scale_factor", loss_scale_factor);
    v("gradient_accumulation_steps", gradient_accumulation_steps);
    v("name", name);
  }
};

/// w -= learning_rate * g / sqrt(sum of g * g + epsilon).
class Adagrad : public Optimizer {
 public:
  /// Throws: ValueError for options outside their ranges.
  explicit Adagrad(const AdagradOptions& options = {});
  /// The other options at their defaults.
  template <LearningRate R>
  explicit Adagrad(R learning_rate)
      : Adagrad(AdagradOptions{.learning_rate = learning_rate}) {}
};
static_assert(sizeof(Adagrad) == sizeof(Optimizer));

/// Options of Adadelta.
struct AdadeltaOptions {
  /// Factor of each step.
  Rate learning_rate = 0.001;
  /// Decay of both running averages.
  double rho = 0.95;
  /// Added to divisors.
  double epsilon = 1e-7;
  /// As in OptimizerOptions.
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  /// Empty: numbered, from the class's name in snake case.
  std::string name = {};

  /// Calls v(key, value) for each option.
  template <class V>
  void visit(V&& v) const {
    v("learning_rate", learning_rate);
    v("rho", rho);
    v("epsilon", epsilon);
    v("weight_decay", weight_decay);
    v("clipnorm", clipnorm);
    v("clipvalue", clipvalue);
    v("global_clipnorm", global_clipnorm);
    v("use_ema", use_ema);
    v("ema_momentum", ema_momentum);
    v("ema_overwrite_frequency", ema_overwrite_frequency);
    v("loss_scale_factor", loss_scale_factor);
    v("gradient_accumulation_steps", gradient_accumulation_steps);
    v("name", name);
  }
};

/// Steps as long as the steps before, over the size of the gradients.
class Adadelta : public Optimizer {
 public:
  /// Throws: ValueError for options outside their ranges.
  explicit Adadelta(const AdadeltaOptions& options = {});
  /// The other options at their defaults.
  template <LearningRate R>
  explicit Adadelta(R learning_rate)
      : Adadelta(AdadeltaOptions{.learning_rate = learning_rate}) {}
};
static_assert(sizeof(Adadelta) == sizeof(Optimizer));

}  // namespace systolic::optimizers
