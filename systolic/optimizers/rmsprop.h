// RMSprop: steps divided by the root of an average of squared gradients.
//
//   optimizers::RMSprop(1e-3);
//   optimizers::RMSprop({.rho = 0.9, .momentum = 0.9, .centered = true});
#pragma once

#include <optional>
#include <string>

#include "systolic/optimizers/optimizer.h"

namespace systolic::optimizers {

struct RMSpropOptions {
  double learning_rate = 0.001;
  double rho = 0.9;
  double momentum = 0.0;
  double epsilon = 1e-7;
  /// Divide by the variance of the gradients, not by their square.
  bool centered = false;
  /// As in OptimizerOptions.
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  std::string name = {};

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
    v("name", name);
  }
};

class RMSprop : public Optimizer {
 public:
  explicit RMSprop(const RMSpropOptions& options = {});
  template <LearningRate R>
  explicit RMSprop(R learning_rate)
      : RMSprop(RMSpropOptions{.learning_rate =
                                   static_cast<double>(learning_rate)}) {}
};
static_assert(sizeof(RMSprop) == sizeof(Optimizer));

}  // namespace systolic::optimizers
