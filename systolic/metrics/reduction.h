// Metrics that add up or average: values, or a function of labels and
// predictions.
//
//   metrics::Mean loss("loss");
//   metrics::MeanMetricWrapper distance(my_distance, {.name = "distance"});
#pragma once

#include <functional>
#include <string>

#include "systolic/metrics/metric.h"

namespace systolic::metrics {

/// Sum of all values, each times its weight.
class Sum : public Metric {
 public:
  explicit Sum(MetricOptions options = {});
  template <MetricName N>
  explicit Sum(const N& name)
      : Sum(MetricOptions{.name = std::string(std::string_view(name))}) {}
};
static_assert(sizeof(Sum) == sizeof(Metric));

/// Weighted mean over the examples; values of an example are averaged first.
class Mean : public Metric {
 public:
  explicit Mean(MetricOptions options = {});
  template <MetricName N>
  explicit Mean(const N& name)
      : Mean(MetricOptions{.name = std::string(std::string_view(name))}) {}
};
static_assert(sizeof(Mean) == sizeof(Metric));

/// A value for each example, from y_true and y_pred.
using MetricFunction =
    std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;

/// Mean of a function's values.
class MeanMetricWrapper : public Metric {
 public:
  /// Throws: ValueError for an empty function.
  explicit MeanMetricWrapper(MetricFunction fn, MetricOptions options = {});
};
static_assert(sizeof(MeanMetricWrapper) == sizeof(Metric));

}  // namespace systolic::metrics
