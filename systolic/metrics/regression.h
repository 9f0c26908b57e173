// Metrics of real values: means of the losses of the same names.
//
//   metrics::MeanAbsoluteError error;
//   error.update_state(y_true, y_pred);
#pragma once

#include <string>

#include "systolic/metrics/metric.h"

namespace systolic::metrics {

class MeanSquaredError : public Metric {
 public:
  explicit MeanSquaredError(std::string name = "mean_squared_error");
  explicit MeanSquaredError(MetricOptions options);
};
static_assert(sizeof(MeanSquaredError) == sizeof(Metric));

class MeanAbsoluteError : public Metric {
 public:
  explicit MeanAbsoluteError(std::string name = "mean_absolute_error");
  explicit MeanAbsoluteError(MetricOptions options);
};
static_assert(sizeof(MeanAbsoluteError) == sizeof(Metric));

/// Square root of the mean of the squares of the differences.
class RootMeanSquaredError : public Metric {
 public:
  explicit RootMeanSquaredError(std::string name = "root_mean_squared_error");
  explicit RootMeanSquaredError(MetricOptions options);
};
static_assert(sizeof(RootMeanSquaredError) == sizeof(Metric));

}  // namespace systolic::metrics
