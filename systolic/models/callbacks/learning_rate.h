// Callbacks that set the learning rate, which the logs then have.
//
//   callbacks::LearningRateScheduler([](int epoch, double rate) {
//     return epoch < 10 ? rate : rate * 0.9;
//   });
//   callbacks::ReduceLROnPlateau({.factor = 0.5, .patience = 3});
#pragma once

#include <functional>
#include <string>

#include "systolic/models/callbacks/handle.h"

namespace systolic::callbacks {

/// Sets the learning rate before each epoch.
class LearningRateScheduler : public Callback {
 public:
  /// The rate of an epoch (from 0), given the one before it.
  using Schedule = std::function<double(int epoch, double learning_rate)>;

  /// `verbose` 1 prints each rate. Throws ValueError for an empty function.
  explicit LearningRateScheduler(Schedule schedule, int verbose = 0);
};
static_assert(sizeof(LearningRateScheduler) == sizeof(Callback));

/// What ReduceLROnPlateau can be told.
struct ReduceLROnPlateauOptions {
  /// The value of the logs that is watched.
  std::string monitor = "val_loss";
  /// What the rate is multiplied with, below 1.
  double factor = 0.1;
  /// Epochs without a better value before that.
  int patience = 10;
  /// 1 prints when it acts.
  int verbose = 0;
  /// "min", "max" or "auto": by the metric.
  std::string mode = "auto";
  /// A change has to be greater than this to count.
  double min_delta = 1e-4;
  /// Epochs after a reduction in which it waits.
  int cooldown = 0;
  /// The rate does not go below it.
  double min_lr = 0;
};

/// Lowers the learning rate when a value does not get better any more.
class ReduceLROnPlateau : public Callback {
 public:
  /// Throws ValueError for a factor of 1 or more, and an unknown mode.
  explicit ReduceLROnPlateau(ReduceLROnPlateauOptions options = {});
};
static_assert(sizeof(ReduceLROnPlateau) == sizeof(Callback));

}  // namespace systolic::callbacks
