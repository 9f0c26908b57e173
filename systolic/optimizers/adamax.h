// Adamax, Nadam, Lion: relatives of Adam.
//
//   optimizers::Nadam(1e-3);
//
// Kingma and Ba 2014; Dozat 2015; Chen et al. 2023.
#pragma once

#include <optional>
#include <string>

#include "systolic/optimizers/optimizer.h"

namespace systolic::optimizers {

/// Options of Adamax.
struct AdamaxOptions {
  /// Factor of each step.
  Rate learning_rate = 0.001;
  /// Decay of the running average of the gradients.
  double beta_1 = 0.9;
  /// Decay of the running average of their size.
  double beta_2 = 0.999;
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
    v("beta_1", beta_1);
    v("beta_2", beta_2);
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

/// Adam with the largest size of the gradients so far as divisor.
class Adamax : public Optimizer {
 public:
  /// Throws: ValueError for options outside their ranges.
  explicit Adamax(const AdamaxOptions& options = {});
  /// The other options at their defaults.
  template <LearningRate R>
  explicit Adamax(R learning_rate)
      : Adamax(AdamaxOptions{.learning_rate = learning_rate}) {}
};
static_assert(sizeof(Adamax) == sizeof(Optimizer));

/// Options of Nadam.
struct NadamOptions {
  /// Factor of each step.
  Rate learning_rate = 0.001;
  /// Decay of the running average of the gradients.
  double beta_1 = 0.9;
  /// Decay of the running average of their size.
  double beta_2 = 0.999;
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
    v("beta_1", beta_1);
    v("beta_2", beta_2);
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

/// Adam with Nesterov's momentum.
class Nadam : public Optimizer {
 public:
  /// Throws: ValueError for options outside their ranges.
  explicit Nadam(const NadamOptions& options = {});
  /// The other options at their defaults.
  template <LearningRate R>
  explicit Nadam(R learning_rate)
      : Nadam(NadamOptions{.learning_rate = learning_rate}) {}
};
static_assert(sizeof(Nadam) == sizeof(Optimizer));

/// Options of Lion.
struct LionOptions {
  /// Factor of each step.
  Rate learning_rate = 0.001;
  /// Decay of the running average of the gradients.
  double beta_1 = 0.9;
  /// Decay of the momentum.
  double beta_2 = 0.99;
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

/// The sign of an average of momentum and gradient.
class Lion : public Optimizer {
 public:
  /// Throws: ValueError for options outside their ranges.
  explicit Lion(const LionOptions& options = {});
  /// The other options at their defaults.
  template <LearningRate R>
  explicit Lion(R learning_rate)
      : Lion(LionOptions{.learning_rate = learning_rate}) {}
};
static_assert(sizeof(Lion) == sizeof(Optimizer));

}  // namespace systolic::optimizers
