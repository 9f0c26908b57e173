#include "systolic/metrics/probabilistic.h"

#include "systolic/losses/crossentropy.h"
#include "systolic/losses/function_loss.h"
#include "systolic/losses/weighting.h"
#include "systolic/metrics/mean_base.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::metrics {
namespace {

MetricFunction not_ignored(std::optional<int64_t> ignore_class) {
  if (!ignore_class) return {};
  return [ignored = *ignore_class](const Tensor& y_true, const Tensor& y_pred) {
    Tensor labels = y_true;
    if (labels.rank() == y_pred.rank() && labels.shape()[-1] == 1) {
      labels = squeeze(labels, -1);
    }
    return not_equal(internal::as_dtype(labels, DType::int32), ignored);
  };
}

}  // namespace

BinaryCrossentropy::BinaryCrossentropy(const BinaryCrossentropyOptions& o)
    : Metric(internal::make_function_metric(
          {.class_name = "BinaryCrossentropy",
           .call =
               [o](const Tensor& y_true, const Tensor& y_pred) {
                 return losses::binary_crossentropy(
                     y_true, y_pred,
                     {.from_logits = o.from_logits,
                      .label_smoothing = o.label_smoothing});
               }},
          {.name = o.name, .dtype = o.dtype})) {
  internal::check_smoothing("BinaryCrossentropy", o.label_smoothing);
}

CategoricalCrossentropy::CategoricalCrossentropy(
    const CategoricalCrossentropyOptions& o)
    : Metric(internal::make_function_metric(
          {.class_name = "CategoricalCrossentropy",
           .call =
               [o](const Tensor& y_true, const Tensor& y_pred) {
                 return losses::categorical_crossentropy(
                     y_true, y_pred,
                     {.from_logits = o.from_logits,
                      .label_smoothing = o.label_smoothing,
                      .axis = o.axis});
               }},
          {.name = o.name, .dtype = o.dtype})) {
  internal::check_smoothing("CategoricalCrossentropy", o.label_smoothing);
}

SparseCategoricalCrossentropy::SparseCategoricalCrossentropy(
    const SparseCategoricalCrossentropyOptions& o)
    : Metric(internal::make_function_metric(
          {.class_name = "SparseCategoricalCrossentropy",
           .call =
               [o](const Tensor& y_true, const Tensor& y_pred) {
                 return losses::sparse_categorical_crossentropy(
                     y_true, y_pred,
                     {.from_logits = o.from_logits,
                      .ignore_class = o.ignore_class,
                      .axis = o.axis});
               },
           .mask = not_ignored(o.ignore_class)},
          {.name = o.name, .dtype = o.dtype})) {}

}  // namespace systolic::metrics
