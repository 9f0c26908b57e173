// What the built-in metrics are made of: MeanBase and FunctionMetric.
// Inside of the room metrics.
#pragma once

#include <string>
#include <string_view>

#include "systolic/metrics/metric.h"
#include "systolic/metrics/reduction.h"

namespace systolic::internal {

/// The options with the class's own name where they have none.
metrics::MetricOptions with_default_name(metrics::MetricOptions options,
                                         std::string_view class_name);

/// A weighted mean of values: state `total` and `count`.
class MeanBase : public metrics::MetricBase {
 public:
  explicit MeanBase(metrics::MetricOptions options);

  std::string_view class_name() const override { return "Mean"; }
  void update_state(const Tensor& values, const Tensor& sample_weight,
                    const Tensor& none) override;
  Tensor result() const override;
  bool takes_values() const override { return true; }

 protected:
  void update_mean(const Tensor& values, const Tensor& sample_weight);

 private:
  Variable total_;
  Variable count_;
};

/// A weighted mean of a function of labels and predictions.
class FunctionMetric : public MeanBase {
 public:
  struct Parts {
    std::string_view class_name;
    metrics::MetricFunction call;
    /// Which values count where weights are given; empty: all.
    metrics::MetricFunction mask = {};
    /// The square root of the mean, for RootMeanSquaredError.
    bool root = false;
  };

  FunctionMetric(Parts parts, metrics::MetricOptions options);

  std::string_view class_name() const override { return parts_.class_name; }
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override;
  Tensor result() const override;
  bool takes_values() const override { return false; }

 private:
  Parts parts_;
};

/// A handle on a built-in; its name is `options.name`, else the class's own
/// in snake case.
metrics::Metric make_function_metric(FunctionMetric::Parts parts,
                                     metrics::MetricOptions options);

}  // namespace systolic::internal
