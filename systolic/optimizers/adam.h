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

struct AdamOptions {
  double learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  bool amsgrad = false;
  /// As in OptimizerOptions.
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  std::string name = {};

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
    v("name", name);
  }
};

class Adam : public Optimizer {
 public:
  explicit Adam(const AdamOptions& options = {});
  template <LearningRate R>
  explicit Adam(R learning_rate)
      : Adam(AdamOptions{.learning_rate = static_cast<double>(learning_rate)}) {
  }
};
static_assert(sizeof(Adam) == sizeof(Optimizer));

struct AdamWOptions {
  double learning_rate = 0.001;
  double weight_decay = 0.004;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  bool amsgrad = false;
  /// As in OptimizerOptions.
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  std::string name = {};

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
    v("name", name);
  }
};

/// Adam whose weight decay is on unless told otherwise.
class AdamW : public Optimizer {
 public:
  explicit AdamW(const AdamWOptions& options = {});
  template <LearningRate R>
  explicit AdamW(R learning_rate)
      : AdamW(AdamWOptions{.learning_rate =
                               static_cast<double>(learning_rate)}) {}
};
static_assert(sizeof(AdamW) == sizeof(Optimizer));

}  // namespace systolic::optimizers
