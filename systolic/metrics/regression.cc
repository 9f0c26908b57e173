#include "systolic/metrics/regression.h"

#include "systolic/losses/regression.h"
#include "systolic/losses/weighting.h"
#include "systolic/metrics/mean_base.h"
#include "systolic/ops/math.h"

namespace systolic::metrics {

MeanSquaredError::MeanSquaredError(MetricOptions options)
    : Metric(internal::make_function_metric(
          {.class_name = "MeanSquaredError",
           .call =
               [](const Tensor& y_true, const Tensor& y_pred) {
                 return losses::mean_squared_error(y_true, y_pred);
               }},
          std::move(options))) {}

MeanAbsoluteError::MeanAbsoluteError(MetricOptions options)
    : Metric(internal::make_function_metric(
          {.class_name = "MeanAbsoluteError",
           .call =
               [](const Tensor& y_true, const Tensor& y_pred) {
                 return losses::mean_absolute_error(y_true, y_pred);
               }},
          std::move(options))) {}

RootMeanSquaredError::RootMeanSquaredError(MetricOptions options)
    : Metric(internal::make_function_metric(
          {.class_name = "RootMeanSquaredError",
           .call =
               [dtype = options.dtype](const Tensor& y_true,
                                       const Tensor& y_pred) {
                 const auto [truth, predicted] =
                     internal::match_ranks(internal::as_dtype(y_true, dtype),
                                           internal::as_dtype(y_pred, dtype));
                 return square(predicted - truth);
               },
           .root = true},
          std::move(options))) {}

}  // namespace systolic::metrics
