// Ftrl: follow the regularized leader, for sparse linear models.
//
//   optimizers::Ftrl({.l1_regularization_strength = 0.01});
//
// McMahan et al. 2013.
#pragma once

#include <optional>
#include <string>

#include "systolic/optimizers/optimizer.h"

namespace systolic::optimizers {

/// Options of Ftrl.
struct FtrlOptions {
  /// Factor of each step.
  Rate learning_rate = 0.001;
  /// How the rate falls with the gradients so far; at most 0.
  double learning_rate_power = -0.5;
  /// First value of the sums of squares.
  double initial_accumulator_value = 0.1;
  /// Strengths of the penalties.
  double l1_regularization_strength = 0.0;
  /// See above.
  double l2_regularization_strength = 0.0;
  /// Of a penalty on the size that is no part of the sums.
  double l2_shrinkage_regularization_strength = 0.0;
  /// Added to the root of the sums.
  double beta = 0.0;
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
    v("learning_rate_power", learning_rate_power);
    v("initial_accumulator_value", initial_accumulator_value);
    v("l1_regularization_strength", l1_regularization_strength);
    v("l2_regularization_strength", l2_regularization_strength);
    v("l2_shrinkage_regularization_strength",
      l2_shrinkage_regularization_strength);
    v("beta", beta);
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

/// Weights that a penalty of l1 holds at 0 until enough speaks against.
class Ftrl : public Optimizer {
 public:
  /// Throws: ValueError for options outside their ranges.
  explicit Ftrl(const FtrlOptions& options = {});
  /// The other options at their defaults.
  template <LearningRate R>
  explicit Ftrl(R learning_rate)
      : Ftrl(FtrlOptions{.learning_rate = learning_rate}) {}
};
static_assert(sizeof(Ftrl) == sizeof(Optimizer));

}  // namespace systolic::optimizers
