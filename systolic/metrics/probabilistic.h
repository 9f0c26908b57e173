// Metrics of class probabilities: means of the losses of the same names.
//
//   metrics::SparseCategoricalCrossentropy entropy({.from_logits = true});
//   entropy.update_state(labels, logits);
#pragma once

#include <cstdint>
#include <string>

#include "systolic/base/optional_int.h"
#include "systolic/metrics/metric.h"

namespace systolic::metrics {

/// Options of BinaryCrossentropy.
struct BinaryCrossentropyOptions {
  /// What messages and logs call it.
  std::string name = "binary_crossentropy";
  /// Of the computation and the state.
  DType dtype = DType::float32;
  /// y_pred holds logits, not probabilities.
  bool from_logits = false;
  /// 0 ... 1: how far labels are drawn to 0.5.
  double label_smoothing = 0;

  /// Calls v(key, value) for each option.
  template <class V>
  void visit(V&& v) const {
    v("name", name);
    v("dtype", dtype);
    v("from_logits", from_logits);
    v("label_smoothing", label_smoothing);
  }
};

/// The mean of losses::binary_crossentropy.
class BinaryCrossentropy : public Metric {
 public:
  /// Throws: ValueError for label_smoothing outside 0 ... 1.
  explicit BinaryCrossentropy(const BinaryCrossentropyOptions& options = {});
};
static_assert(sizeof(BinaryCrossentropy) == sizeof(Metric));

/// Options of CategoricalCrossentropy.
struct CategoricalCrossentropyOptions {
  /// What messages and logs call it.
  std::string name = "categorical_crossentropy";
  /// Of the computation and the state.
  DType dtype = DType::float32;
  /// y_pred holds logits, not probabilities.
  bool from_logits = false;
  /// 0 ... 1: how far labels are drawn to even (1 / classes each).
  double label_smoothing = 0;
  /// The classes' axis.
  int axis = -1;

  /// Calls v(key, value) for each option.
  template <class V>
  void visit(V&& v) const {
    v("name", name);
    v("dtype", dtype);
    v("from_logits", from_logits);
    v("label_smoothing", label_smoothing);
    v("axis", axis);
  }
};

/// The mean of losses::categorical_crossentropy.
class CategoricalCrossentropy : public Metric {
 public:
  /// Throws: ValueError for label_smoothing outside 0 ... 1.
  explicit CategoricalCrossentropy(
      const CategoricalCrossentropyOptions& options = {});
};
static_assert(sizeof(CategoricalCrossentropy) == sizeof(Metric));

/// Options of SparseCategoricalCrossentropy.
struct SparseCategoricalCrossentropyOptions {
  /// What messages and logs call it.
  std::string name = "sparse_categorical_crossentropy";
  /// Of the computation and the state.
  DType dtype = DType::float32;
  /// y_pred holds logits, not probabilities.
  bool from_logits = false;
  /// A label that does not count: a zero without weights, left out with them.
  OptionalInt ignore_class = {};
  /// The classes' axis; only the last is supported.
  int axis = -1;

  /// Calls v(key, value) for each option.
  template <class V>
  void visit(V&& v) const {
    v("name", name);
    v("dtype", dtype);
    v("from_logits", from_logits);
    v("ignore_class", ignore_class);
    v("axis", axis);
  }
};

/// The mean of losses::sparse_categorical_crossentropy.
class SparseCategoricalCrossentropy : public Metric {
 public:
  explicit SparseCategoricalCrossentropy(
      const SparseCategoricalCrossentropyOptions& options = {});
};
static_assert(sizeof(SparseCategoricalCrossentropy) == sizeof(Metric));

}  // namespace systolic::metrics
