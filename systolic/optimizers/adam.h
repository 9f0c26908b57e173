// Adam and AdamW: steps scaled by running averages of the gradients.
//
//   optimizers::Adam(1e-3);
//   optimizers::AdamW({.learning_rate = 1e-3, .weight_decay = 0.01});
//
// Kingma and Ba 2014; Loshchilov and Hutter 2017; amsgrad: Reddi et al. 2018.
#pragma once

#include <optional>
#include <string>

#include "systolic/optimizers/optimizer.h"

namespace systolic::optimizers {

/// Options of Adam.
struct AdamOptions {
  /// Factor of each step.
  Rate learning_rate = 0.001;
  /// Decay of the running average of the gradients.
  double beta_1 = 0.9;
  /// Decay of the running average of their squares.
  double beta_2 = 0.999;
  /// Added to the root in the divisor ("epsilon hat" of the paper).
  double epsilon = 1e-7;
  /// Divide by the root of the largest average of squares so far.
  bool amsgrad = false;
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
    v("beta_1", beta_1);
    v("beta_2", beta_2);
    v("epsilon", epsilon);
    v("amsgrad", amsgrad);
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

/// Steps of average / (root of average square + epsilon), with both averages
/// corrected for their start at zero (Kingma and Ba 2014).
class Adam : public Optimizer {
 public:
  /// Throws: ValueError where more than one way of clipping is given.
  explicit Adam(const AdamOptions& options = {});
  /// The other options at their defaults.
  template <LearningRate R>
  explicit Adam(R learning_rate)
      : Adam(AdamOptions{.learning_rate = learning_rate}) {}
};
static_assert(sizeof(Adam) == sizeof(Optimizer));

/// Options of AdamW.
struct AdamWOptions {
  /// Factor of each step.
  Rate learning_rate = 0.001;
  /// Each update takes this share of a variable, times the learning rate.
  double weight_decay = 0.004;
  /// Decay of the running average of the gradients.
  double beta_1 = 0.9;
  /// Decay of the running average of their squares.
  double beta_2 = 0.999;
  /// Added to the root in the divisor ("epsilon hat" of the paper).
  double epsilon = 1e-7;
  /// Divide by the root of the largest average of squares so far.
  bool amsgrad = false;
  /// As in OptimizerOptions.
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
    v("weight_decay", weight_decay);
    v("beta_1", beta_1);
    v("beta_2", beta_2);
    v("epsilon", epsilon);
    v("amsgrad", amsgrad);
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

/// Adam whose weight decay is on unless told otherwise.
class AdamW : public Optimizer {
 public:
  /// Throws: ValueError where more than one way of clipping is given.
  explicit AdamW(const AdamWOptions& options = {});
  /// The other options at their defaults.
  template <LearningRate R>
  explicit AdamW(R learning_rate)
      : AdamW(AdamWOptions{.learning_rate = learning_rate}) {}
};
static_assert(sizeof(AdamW) == sizeof(Optimizer));

}  // namespace systolic::optimizers
