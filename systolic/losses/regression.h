// Losses of real values.
//
//   losses::MeanSquaredError()(y_true, y_pred);
//   losses::mean_squared_error(y_true, y_pred);   // one value per example
#pragma once

#include "systolic/losses/loss.h"

namespace systolic::losses {

/// Mean of the squares of the differences over the last axis.
/// Shapes: (batch, ..., n), (batch, ..., n) -> (batch, ...).
Tensor mean_squared_error(const Arg& y_true, const Arg& y_pred);

/// Mean of the absolute differences over the last axis.
/// Shapes: (batch, ..., n), (batch, ..., n) -> (batch, ...).
Tensor mean_absolute_error(const Arg& y_true, const Arg& y_pred);

/// The reduction of mean_squared_error.
class MeanSquaredError : public Loss {
 public:
  /// Shapes are checked when called, not here.
  explicit MeanSquaredError(LossOptions options = {});
};
static_assert(sizeof(MeanSquaredError) == sizeof(Loss));

/// The reduction of mean_absolute_error.
class MeanAbsoluteError : public Loss {
 public:
  /// Shapes are checked when called, not here.
  explicit MeanAbsoluteError(LossOptions options = {});
};
static_assert(sizeof(MeanAbsoluteError) == sizeof(Loss));

}  // namespace systolic::losses
