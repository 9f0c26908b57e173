// Rate: what an option learning_rate may be: a number or a schedule.
//
//   optimizers::Adam({.learning_rate = 1e-3});
//   optimizers::Adam({.learning_rate = schedules::ExponentialDecay(...)});
#pragma once

#include <concepts>

#include "systolic/optimizers/schedules/learning_rate_schedule.h"

namespace systolic::optimizers {

/// A number or a schedule: what an optimizer may be made from, as in
/// Adam(1e-3). A template, so that a braced list always means the options.
template <class T>
concept LearningRate = std::integral<T> || std::floating_point<T> ||
    std::derived_from<T, schedules::LearningRateSchedule>;

/// A learning rate as an optimizer keeps it.
class Rate {
 public:
  template <LearningRate T>
  Rate(const T& rate) {
    if constexpr (std::derived_from<T, schedules::LearningRateSchedule>) {
      schedule_ = rate;
    } else {
      number_ = static_cast<double>(rate);
    }
  }

  /// The number; 0 for a schedule.
  double number() const { return number_; }
  /// The schedule; unset for a number.
  const schedules::LearningRateSchedule& schedule() const { return schedule_; }

 private:
  double number_ = 0;
  schedules::LearningRateSchedule schedule_;
};

}  // namespace systolic::optimizers
