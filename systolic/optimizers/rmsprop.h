// RMSprop: steps divided by the root of an average of squared gradients.
//
//   optimizers::RMSprop(1e-3);
//   optimizers::RMSprop({.rho = 0.9, .momentum = 0.9, .centered = true});
#pragma once

#include <optional>
#include <string>

#include "systolic/optimizers/optimizer.h"

namespace systolic::optimizers {

/// Options of RMSprop.
struct RMSpropOptions {
  /// Factor of each step.
  Rate learning_rate = 0.001;
  /// Decay of the running average of the squared gradients.
  double rho = 0.9;
  /// Share of the last step that the next one keeps; 0 for none.
  double momentum = 0.0;
  /// Added to the average under the root.
  double epsilon = 1e-7;
  /// Divide by the variance of the gradients, not by their square.
  bool centered = false;
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
    v("momentum", momentum);
    v("epsilon", epsilon);
    v("centered", centered);
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

/// Steps of g / sqrt(average of g * g + epsilon) (Tieleman and Hinton 2012).
class RMSprop : public Optimizer {
 public:
  /// Throws: ValueError where more than one way of clipping is given.
  explicit RMSprop(const RMSpropOptions& options = {});
  /// The other options at their defaults.
  template <LearningRate R>
  explicit RMSprop(R learning_rate)
      : RMSprop(RMSpropOptions{.learning_rate = learning_rate}) {}
};
static_assert(sizeof(RMSprop) == sizeof(Optimizer));

}  // namespace systolic::optimizers
