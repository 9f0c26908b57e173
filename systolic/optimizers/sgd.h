// SGD: gradient descent, with momentum if wanted.
//
//   optimizers::SGD(0.01);
//   optimizers::SGD({.learning_rate = 0.01, .momentum = 0.9});
#pragma once

#include <optional>
#include <string>

#include "systolic/optimizers/optimizer.h"

namespace systolic::optimizers {

struct SGDOptions {
  double learning_rate = 0.01;
  double momentum = 0.0;  // 0 ... 1
  bool nesterov = false;
  /// As in OptimizerOptions.
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  std::string name = {};

  template <class V>
  void visit(V&& v) const {
    v("learning_rate", learning_rate);
    v("momentum", momentum);
    v("nesterov", nesterov);
    v("weight_decay", weight_decay);
    v("clipnorm", clipnorm);
    v("clipvalue", clipvalue);
    v("global_clipnorm", global_clipnorm);
    v("name", name);
  }
};

class SGD : public Optimizer {
 public:
  /// Throws: ValueError for a momentum outside 0 ... 1.
  explicit SGD(const SGDOptions& options = {});
  template <LearningRate R>
  explicit SGD(R learning_rate)
      : SGD(SGDOptions{.learning_rate = static_cast<double>(learning_rate)}) {}
};
static_assert(sizeof(SGD) == sizeof(Optimizer));

}  // namespace systolic::optimizers
