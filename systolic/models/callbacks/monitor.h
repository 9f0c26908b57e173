// MonitorCallback: what callbacks share that watch one value of the logs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "systolic/models/callbacks/callback.h"

namespace systolic::callbacks {

/// Derive from it to act on whether a value gets better.
class MonitorCallback : public CallbackBase {
 protected:
  /// `mode` is "min", "max" or "auto", which goes by the metric of that name.
  /// Throws ValueError for another one, where Keras warns.
  MonitorCallback(std::string_view who, std::string monitor, std::string mode,
                  double min_delta);

  /// The value in the logs; where there is none, a warning that begins with
  /// `condition` and lists what there is.
  std::optional<double> monitored(const Logs& logs,
                                  std::string_view condition) const;

  /// Whether `value` is better than `best` by more than min_delta; anything is
  /// better than nothing. Throws ValueError where "auto" can not tell.
  bool is_improvement(double value, std::optional<double> best);

  const std::string& monitor() const { return monitor_; }

 private:
  enum class Better : int8_t { unknown, less, greater };
  Better direction() const;

  std::string who_;
  std::string monitor_;
  std::string mode_;
  double min_delta_;
  Better better_ = Better::unknown;
};

}  // namespace systolic::callbacks
