// SGD: gradient descent, with momentum if wanted.
//
//   optimizers::SGD(0.01);
//   optimizers::SGD({.learning_rate = 0.01, .momentum = 0.9});
#pragma once

#include <optional>
#include <string>

#include "systolic/optimizers/optimizer.h"

namespace systolic::optimizers {

/// Options of SGD.
struct SGDOptions {
  /// Factor of each step.
  Rate learning_rate = 0.01;
  /// Share of the last step that the next one keeps; 0 for none.
  double momentum = 0.0;  // 0 ... 1
  /// Nesterov's momentum; no effect where momentum is 0.
  bool nesterov = false;
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
    v("momentum", momentum);
    v("nesterov", nesterov);
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

/// w -= learning_rate * g; with momentum v = momentum * v - learning_rate * g,
/// w += v, or with nesterov w += momentum * v - learning_rate * g.
class SGD : public Optimizer {
 public:
  /// Throws: ValueError for a momentum outside 0 ... 1.
  explicit SGD(const SGDOptions& options = {});
  /// The other options at their defaults.
  template <LearningRate R>
  explicit SGD(R learning_rate)
      : SGD(SGDOptions{.learning_rate = learning_rate}) {}
};
static_assert(sizeof(SGD) == sizeof(Optimizer));

}  // namespace systolic::optimizers
