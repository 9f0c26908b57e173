// CSVLogger: a line of a file for each epoch of fit.
//
//   model.fit(x, y, {.callbacks = {callbacks::CSVLogger("training.csv")}});
#pragma once

#include <string>

#include "systolic/models/callbacks/handle.h"

namespace systolic::callbacks {

/// What CSVLogger can be told.
struct CSVLoggerOptions {
  /// What stands between two values.
  std::string separator = ",";
  /// Whether lines go behind those of an existing file.
  bool append = false;
};

/// Writes Keras's file: the epoch, then the logs in order of their names; "NA"
/// for what an epoch did not log.
class CSVLogger : public Callback {
 public:
  explicit CSVLogger(const std::string& filename,
                     CSVLoggerOptions options = {});
};
static_assert(sizeof(CSVLogger) == sizeof(Callback));

}  // namespace systolic::callbacks
