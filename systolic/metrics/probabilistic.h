// Metrics of class probabilities: means of the losses of the same names.
//
//   metrics::SparseCategoricalCrossentropy entropy({.from_logits = true});
//   entropy.update_state(labels, logits);
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systolic/metrics/metric.h"

namespace systolic::metrics {

struct BinaryCrossentropyOptions {
  std::string name = "binary_crossentropy";
  DType dtype = DType::float32;
  bool from_logits = false;
  double label_smoothing = 0;

  template <class V>
  void visit(V&& v) const {
    v("name", name);
    v("dtype", dtype);
    v("from_logits", from_logits);
    v("label_smoothing", label_smoothing);
  }
};

class BinaryCrossentropy : public Metric {
 public:
  explicit BinaryCrossentropy(const BinaryCrossentropyOptions& options = {});
};
static_assert(sizeof(BinaryCrossentropy) == sizeof(Metric));

struct CategoricalCrossentropyOptions {
  std::string name = "categorical_crossentropy";
  DType dtype = DType::float32;
  bool from_logits = false;
  double label_smoothing = 0;
  int axis = -1;

  template <class V>
  void visit(V&& v) const {
    v("name", name);
    v("dtype", dtype);
    v("from_logits", from_logits);
    v("label_smoothing", label_smoothing);
    v("axis", axis);
  }
};

class CategoricalCrossentropy : public Metric {
 public:
  explicit CategoricalCrossentropy(
      const CategoricalCrossentropyOptions& options = {});
};
static_assert(sizeof(CategoricalCrossentropy) == sizeof(Metric));

struct SparseCategoricalCrossentropyOptions {
  std::string name = "sparse_categorical_crossentropy";
  DType dtype = DType::float32;
  bool from_logits = false;
  /// A label that does not count: a zero without weights, left out with them.
  std::optional<int64_t> ignore_class = {};
  int axis = -1;

  template <class V>
  void visit(V&& v) const {
    v("name", name);
    v("dtype", dtype);
    v("from_logits", from_logits);
    v("ignore_class", ignore_class);
    v("axis", axis);
  }
};

class SparseCategoricalCrossentropy : public Metric {
 public:
  explicit SparseCategoricalCrossentropy(
      const SparseCategoricalCrossentropyOptions& options = {});
};
static_assert(sizeof(SparseCategoricalCrossentropy) == sizeof(Metric));

}  // namespace systolic::metrics
