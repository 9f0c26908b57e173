// EarlyStopping: ends fit when a value does not get better any more.
//
//   model.fit(x, y, {.epochs = 100, .callbacks = {callbacks::EarlyStopping(
//       {.patience = 3, .restore_best_weights = true})}});
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "systolic/models/callbacks/handle.h"

namespace systolic::callbacks {

/// What EarlyStopping can be told.
struct EarlyStoppingOptions {
  /// The value of the logs that is watched.
  std::string monitor = "val_loss";
  /// A change has to be greater than this to count.
  double min_delta = 0;
  /// Epochs without a better value before fit ends.
  int patience = 0;
  /// 1 prints when it acts.
  int verbose = 0;
  /// "min", "max" or "auto": by the metric.
  std::string mode = "auto";
  /// Patience counts until the value is better than this; unset: none.
  std::optional<double> baseline = {};
  /// Whether the weights of the best epoch are put back at the end.
  bool restore_best_weights = false;
  /// Epochs before this one are not looked at.
  int start_from_epoch = 0;
};

class EarlyStoppingBase;

/// See the top of this file.
class EarlyStopping : public Callback {
 public:
  /// Throws ValueError for an unknown mode.
  explicit EarlyStopping(EarlyStoppingOptions options = {});
  /// The epoch that ended the last fit, from 0; 0 where none did.
  int stopped_epoch() const;
  /// The epoch with the best value so far, from 0.
  int best_epoch() const;
  /// That value; unset before the first.
  std::optional<double> best() const;
};
static_assert(sizeof(EarlyStopping) == sizeof(Callback));

}  // namespace systolic::callbacks
