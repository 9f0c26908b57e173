// The share of predictions that are right.
//
//   metrics::SparseCategoricalAccuracy accuracy("accuracy");
//   accuracy.update_state(labels, logits);
//   metrics::sparse_categorical_accuracy(labels, logits);   // 0 or 1 each
#pragma once

#include <cstdint>
#include <string>

#include "systolic/metrics/metric.h"

namespace systolic::metrics {

/// 1 where y_pred exceeds the threshold just where y_true is 1, else 0
/// (float32). Shapes: equal, or (n) and (n, 1) -> that of y_true.
Tensor binary_accuracy(const Arg& y_true, const Arg& y_pred,
                       double threshold = 0.5);

/// 1 where the largest score is at the largest label, else 0 (float32).
/// Shapes: (..., classes), (..., classes) -> (...).
Tensor categorical_accuracy(const Arg& y_true, const Arg& y_pred);

/// 1 where the largest score is that of the class number, else 0 (float32).
/// Shapes: (...) or (..., 1), (..., classes) -> (...).
Tensor sparse_categorical_accuracy(const Arg& y_true, const Arg& y_pred);

/// 1 where the class of the largest label is among the k largest scores, else
/// 0 (float32). Shapes: (..., classes), (..., classes) -> (...).
Tensor top_k_categorical_accuracy(const Arg& y_true, const Arg& y_pred,
                                  int64_t k = 5);

/// Options of sparse_top_k_categorical_accuracy.
struct SparseTopKOptions {
  /// How many of the largest scores are looked at.
  int64_t k = 5;
  /// y_pred holds class numbers, best first, in place of scores.
  bool from_sorted_ids = false;
};

/// 1 where the class number is among the k largest scores, else 0 (float32).
/// Shapes: (...), (..., classes) -> (...).
Tensor sparse_top_k_categorical_accuracy(const Arg& y_true, const Arg& y_pred,
                                         const SparseTopKOptions& options = {});

/// How often y_pred equals y_true.
class Accuracy : public Metric {
 public:
  explicit Accuracy(MetricOptions options = {});
  /// The other options at their defaults.
  template <MetricName N>
  explicit Accuracy(const N& name)
      : Accuracy(MetricOptions{.name = std::string(std::string_view(name))}) {}
};
static_assert(sizeof(Accuracy) == sizeof(Metric));

/// Options of BinaryAccuracy.
struct BinaryAccuracyOptions {
  /// What messages and logs call it.
  std::string name = "binary_accuracy";
  /// Of the computation and the state.
  DType dtype = DType::float32;
  /// Scores above it, not at it, count as 1.
  double threshold = 0.5;

  /// Calls v(key, value) for each option.
  template <class V>
  void visit(V&& v) const {
    v("name", name);
    v("dtype", dtype);
    v("threshold", threshold);
  }
};

/// The share of binary_accuracy.
class BinaryAccuracy : public Metric {
 public:
  /// Throws: ValueError for a threshold that is not finite.
  explicit BinaryAccuracy(const BinaryAccuracyOptions& options = {});
  /// The other options at their defaults.
  template <MetricName N>
  explicit BinaryAccuracy(const N& name)
      : BinaryAccuracy(BinaryAccuracyOptions{
            .name = std::string(std::string_view(name))}) {}
};
static_assert(sizeof(BinaryAccuracy) == sizeof(Metric));

/// The share of categorical_accuracy.
class CategoricalAccuracy : public Metric {
 public:
  explicit CategoricalAccuracy(MetricOptions options = {});
  /// The other options at their defaults.
  template <MetricName N>
  explicit CategoricalAccuracy(const N& name)
      : CategoricalAccuracy(
            MetricOptions{.name = std::string(std::string_view(name))}) {}
};
static_assert(sizeof(CategoricalAccuracy) == sizeof(Metric));

/// The share of sparse_categorical_accuracy.
class SparseCategoricalAccuracy : public Metric {
 public:
  explicit SparseCategoricalAccuracy(MetricOptions options = {});
  /// The other options at their defaults.
  template <MetricName N>
  explicit SparseCategoricalAccuracy(const N& name)
      : SparseCategoricalAccuracy(
            MetricOptions{.name = std::string(std::string_view(name))}) {}
};
static_assert(sizeof(SparseCategoricalAccuracy) == sizeof(Metric));

/// Options of TopKCategoricalAccuracy.
struct TopKCategoricalAccuracyOptions {
  /// How many of the largest scores are looked at.
  int64_t k = 5;
  /// What messages and logs call it.
  std::string name = "top_k_categorical_accuracy";
  /// Of the computation and the state.
  DType dtype = DType::float32;

  /// Calls v(key, value) for each option.
  template <class V>
  void visit(V&& v) const {
    v("k", k);
    v("name", name);
    v("dtype", dtype);
  }
};

/// The share of top_k_categorical_accuracy.
class TopKCategoricalAccuracy : public Metric {
 public:
  /// Throws: ValueError for a k below 1.
  explicit TopKCategoricalAccuracy(
      const TopKCategoricalAccuracyOptions& options = {});
};
static_assert(sizeof(TopKCategoricalAccuracy) == sizeof(Metric));

/// Options of SparseTopKCategoricalAccuracy.
struct SparseTopKCategoricalAccuracyOptions {
  /// How many of the largest scores are looked at.
  int64_t k = 5;
  /// What messages and logs call it.
  std::string name = "sparse_top_k_categorical_accuracy";
  /// Of the computation and the state.
  DType dtype = DType::float32;
  /// As in SparseTopKOptions.
  bool from_sorted_ids = false;

  /// Calls v(key, value) for each option.
  template <class V>
  void visit(V&& v) const {
    v("k", k);
    v("name", name);
    v("dtype", dtype);
    v("from_sorted_ids", from_sorted_ids);
  }
};

/// The share of sparse_top_k_categorical_accuracy.
class SparseTopKCategoricalAccuracy : public Metric {
 public:
  /// Throws: ValueError for a k below 1.
  explicit SparseTopKCategoricalAccuracy(
      const SparseTopKCategoricalAccuracyOptions& options = {});
};
static_assert(sizeof(SparseTopKCategoricalAccuracy) == sizeof(Metric));

}  // namespace systolic::metrics
