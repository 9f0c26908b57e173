#include "systolic/metrics/accuracy.h"

#include <cmath>

#include "systolic/base/message.h"
#include "systolic/losses/weighting.h"
#include "systolic/metrics/mean_base.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic::metrics {
namespace {

using internal::as_dtype;
using internal::Message;

Tensor as_score(const Tensor& matches) { return cast(matches, DType::float32); }

[[noreturn]] void throw_shapes(const char* who, const Tensor& y_true,
                               const Tensor& y_pred, const char* wanted) {
  Message(who)
      .expected(wanted)
      .got(y_true.shape(), " and ", y_pred.shape())
      .detail("y_true", y_true.spec())
      .detail("y_pred", y_pred.spec())
      .raise<ShapeError>();
}

Shape without_last(Shape shape) {
  shape.erase(-1);
  return shape;
}

// Whether the largest score is that of the class number.
Tensor matches_class(const Tensor& labels, const Tensor& y_pred) {
  return as_score(equal(labels, argmax(y_pred, {.axis = -1})));
}

Tensor accuracy(const Tensor& y_true, const Tensor& y_pred) {
  const auto [truth, predicted] =
      internal::match_ranks(as_dtype(y_true, y_pred.dtype()), y_pred);
  if (truth.shape() != predicted.shape()) {
    throw_shapes("accuracy", truth, predicted,
                 "y_true and y_pred of one shape");
  }
  return as_score(equal(truth, predicted));
}

void check_k(std::string_view who, int64_t k) {
  if (k >= 1) return;
  Message(std::string(who))
      .expected("k of at least 1")
      .got(k)
      .raise<ValueError>();
}

// TensorFlow's in_top_k: true where fewer than k scores are larger, so that
// all of several equal scores at the border count; false where a score of the
// row is not finite or there is no such class.
Tensor in_top_k(const Tensor& labels, const Tensor& scores, int64_t k) {
  const Tensor is_class = equal(expand_dims(labels, -1),
                                arange(scores.shape()[-1], labels.dtype()));
  const Tensor score =
      sum(where(is_class, scores, 0), {.axis = -1, .keepdims = true});
  const Tensor larger = sum(cast(scores > score, DType::int32), {.axis = -1});
  const Tensor known = logical_and(reduce_any(is_class, {.axis = -1}),
                                   reduce_all(isfinite(scores), {.axis = -1}));
  return logical_and(less(larger, k), known);
}

}  // namespace

Tensor binary_accuracy(const Arg& y_true, const Arg& y_pred, double threshold) {
  const auto [truth, predicted] =
      internal::match_ranks(y_true.tensor(), y_pred.tensor());
  if (truth.shape() != predicted.shape()) {
    throw_shapes("binary_accuracy", truth, predicted,
                 "y_true and y_pred of one shape");
  }
  return as_score(equal(truth, cast(predicted > threshold, truth.dtype())));
}

Tensor categorical_accuracy(const Arg& y_true, const Arg& y_pred) {
  const Tensor truth = y_true.tensor(), predicted = y_pred.tensor();
  if (truth.rank() < 1 || truth.shape() != predicted.shape()) {
    throw_shapes("categorical_accuracy", truth, predicted,
                 "y_true and y_pred of one shape (..., classes)");
  }
  return matches_class(argmax(truth, {.axis = -1}), predicted);
}

Tensor sparse_categorical_accuracy(const Arg& y_true, const Arg& y_pred) {
  Tensor labels = y_true.tensor();
  const Tensor predicted = y_pred.tensor();
  if (labels.rank() == predicted.rank() && labels.rank() > 0 &&
      labels.shape()[-1] == 1) {
    labels = squeeze(labels, -1);
  }
  if (predicted.rank() < 1 ||
      labels.shape() != without_last(predicted.shape())) {
    throw_shapes("sparse_categorical_accuracy", labels, predicted,
                 "y_true of shape (...), y_pred of shape (..., classes)");
  }
  Tensor matches = matches_class(labels, predicted);
  if (matches.rank() > 1 && matches.shape()[-1] == 1) {
    matches = squeeze(matches, -1);
  }
  return matches;
}

Tensor top_k_categorical_accuracy(const Arg& y_true, const Arg& y_pred,
                                  int64_t k) {
  check_k("top_k_categorical_accuracy", k);
  const Tensor truth = y_true.tensor(), predicted = y_pred.tensor();
  if (truth.rank() < 1 || truth.shape() != predicted.shape()) {
    throw_shapes("top_k_categorical_accuracy", truth, predicted,
                 "y_true and y_pred of one shape (..., classes)");
  }
  return as_score(in_top_k(argmax(truth, {.axis = -1}), predicted, k));
}

Tensor sparse_top_k_categorical_accuracy(const Arg& y_true, const Arg& y_pred,
                                         const SparseTopKOptions& options) {
  check_k("sparse_top_k_categorical_accuracy", options.k);
  Tensor labels = y_true.tensor();
  const Tensor predicted = y_pred.tensor();
  if (labels.rank() == predicted.rank() && labels.rank() > 0 &&
      labels.shape()[-1] == 1) {
    labels = squeeze(labels, -1);
  }
  if (predicted.rank() < 1 ||
      labels.shape() != without_last(predicted.shape())) {
    throw_shapes("sparse_top_k_categorical_accuracy", labels, predicted,
                 "y_true of shape (...), y_pred of shape (..., classes)");
  }
  if (!options.from_sorted_ids) {
    return as_score(
        in_top_k(as_dtype(labels, DType::int32), predicted, options.k));
  }
  const Tensor best = predicted[{ellipsis, Slice(0, options.k)}];
  return as_score(
      reduce_any(equal(expand_dims(as_dtype(labels, best.dtype()), -1), best),
                 {.axis = -1}));
}

Accuracy::Accuracy(MetricOptions options)
    : Metric(internal::make_function_metric(
          {.class_name = "Accuracy", .call = accuracy}, std::move(options))) {}

BinaryAccuracy::BinaryAccuracy(const BinaryAccuracyOptions& options)
    : Metric(internal::make_function_metric(
          {.class_name = "BinaryAccuracy",
           .call =
               [threshold = options.threshold](const Tensor& y_true,
                                               const Tensor& y_pred) {
                 return binary_accuracy(y_true, y_pred, threshold);
               }},
          {.name = options.name, .dtype = options.dtype})) {
  if (std::isfinite(options.threshold)) return;
  Message("BinaryAccuracy")
      .expected("a finite threshold")
      .got(options.threshold)
      .raise<ValueError>();
}

CategoricalAccuracy::CategoricalAccuracy(MetricOptions options)
    : Metric(internal::make_function_metric(
          {.class_name = "CategoricalAccuracy",
           .call =
               [](const Tensor& y_true, const Tensor& y_pred) {
                 return categorical_accuracy(y_true, y_pred);
               }},
          std::move(options))) {}

SparseCategoricalAccuracy::SparseCategoricalAccuracy(MetricOptions options)
    : Metric(internal::make_function_metric(
          {.class_name = "SparseCategoricalAccuracy",
           .call =
               [](const Tensor& y_true, const Tensor& y_pred) {
                 return sparse_categorical_accuracy(y_true, y_pred);
               }},
          std::move(options))) {}

TopKCategoricalAccuracy::TopKCategoricalAccuracy(
    const TopKCategoricalAccuracyOptions& options)
    : Metric(internal::make_function_metric(
          {.class_name = "TopKCategoricalAccuracy",
           .call =
               [k = options.k](const Tensor& y_true, const Tensor& y_pred) {
                 return top_k_categorical_accuracy(y_true, y_pred, k);
               }},
          {.name = options.name, .dtype = options.dtype})) {
  check_k("TopKCategoricalAccuracy", options.k);
}

SparseTopKCategoricalAccuracy::SparseTopKCategoricalAccuracy(
    const SparseTopKCategoricalAccuracyOptions& options)
    : Metric(internal::make_function_metric(
          {.class_name = "SparseTopKCategoricalAccuracy",
           .call =
               [options](const Tensor& y_true, const Tensor& y_pred) {
                 return sparse_top_k_categorical_accuracy(
                     y_true, y_pred,
                     {.k = options.k,
                      .from_sorted_ids = options.from_sorted_ids});
               }},
          {.name = options.name, .dtype = options.dtype})) {
  check_k("SparseTopKCategoricalAccuracy", options.k);
}

}  // namespace systolic::metrics
