// Metrics of real values: means of the losses of the same names.
//
//   metrics::MeanAbsoluteError error;
//   error.update_state(y_true, y_pred);
#pragma once

#include <string>

#include "systolic/metrics/metric.h"

namespace systolic::metrics {

/// The mean of losses::mean_squared_error.
class MeanSquaredError : public Metric {
 public:
  explicit MeanSquaredError(MetricOptions options = {});
  /// The other options at their defaults.
  template <MetricName N>
  explicit MeanSquaredError(const N& name)
      : MeanSquaredError(
            MetricOptions{.name = std::string(std::string_view(name))}) {}
};
static_assert(sizeof(MeanSquaredError) == sizeof(Metric));

/// The mean of losses::mean_absolute_error.
class MeanAbsoluteError : public Metric {
 public:
  explicit MeanAbsoluteError(MetricOptions options = {});
  /// The other options at their defaults.
  template <MetricName N>
  explicit MeanAbsoluteError(const N& name)
      : MeanAbsoluteError(
            MetricOptions{.name = std::string(std::string_view(name))}) {}
};
static_assert(sizeof(MeanAbsoluteError) == sizeof(Metric));

/// Square root of the mean of the squares of the differences.
class RootMeanSquaredError : public Metric {
 public:
  explicit RootMeanSquaredError(MetricOptions options = {});
  /// The other options at their defaults.
  template <MetricName N>
  explicit RootMeanSquaredError(const N& name)
      : RootMeanSquaredError(
            MetricOptions{.name = std::string(std::string_view(name))}) {}
};
static_assert(sizeof(RootMeanSquaredError) == sizeof(Metric));

}  // namespace systolic::metrics
