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
  explicit Sum(std::string name = "sum");
  explicit Sum(MetricOptions options);
};
static_assert(sizeof(Sum) == sizeof(Metric));

/// Weighted mean over the examples; values of an example are averaged first.
class Mean : public Metric {
 public:
  explicit Mean(std::string name = "mean");
  explicit Mean(MetricOptions options);
};
static_assert(sizeof(Mean) == sizeof(Metric));

/// A value for each example, from y_true and y_pred.
using MetricFunction =
    std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;

/// Mean of a function's values.
class MeanMetricWrapper : public Metric {
 public:
  explicit MeanMetricWrapper(MetricFunction fn, MetricOptions options = {});
};
static_assert(sizeof(MeanMetricWrapper) == sizeof(Metric));

}  // namespace systolic::metrics
