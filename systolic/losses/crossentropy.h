// Losses of class probabilities.
//
//   losses::SparseCategoricalCrossentropy({.from_logits = true});
//   losses::sparse_categorical_crossentropy(labels, logits,
//                                           {.from_logits = true});
//
// Predictions are probabilities unless from_logits; where they come straight
// from a softmax (or sigmoid), its input is used, which is more exact.
#pragma once

#include <cstdint>

#include "systolic/base/optional_int.h"
#include "systolic/losses/loss.h"

namespace systolic::losses {

/// Options of categorical_crossentropy and binary_crossentropy.
struct CrossentropyOptions {
  /// y_pred holds logits, not probabilities.
  bool from_logits = false;
  double label_smoothing = 0;  // 0 ... 1: how far labels are drawn to even
  /// The classes' axis; for binary_crossentropy the one averaged over.
  int axis = -1;
};

/// Options of sparse_categorical_crossentropy.
struct SparseCrossentropyOptions {
  /// y_pred holds logits, not probabilities.
  bool from_logits = false;
  OptionalInt ignore_class = {};  // a label that does not count
  /// The classes' axis; only the last is supported.
  int axis = -1;
};

/// Cross entropy of class numbers and predictions.
/// Shapes: y_true (...) or (..., 1), y_pred (..., classes) -> (...).
/// Throws: ShapeError; ValueError for an axis other than the last. Labels out
/// of range are not seen here: see check_labels.
Tensor sparse_categorical_crossentropy(
    const Arg& y_true, const Arg& y_pred,
    const SparseCrossentropyOptions& options = {});

/// Cross entropy of one-hot or soft labels and predictions.
/// Shapes: (..., classes), (..., classes) -> (...).
/// Throws: ShapeError; ValueError for label_smoothing outside 0 ... 1.
Tensor categorical_crossentropy(const Arg& y_true, const Arg& y_pred,
                                const CrossentropyOptions& options = {});

/// Mean over `axis` of the cross entropy of each yes-or-no label.
/// Shapes: (..., n), (..., n) -> (...).
/// Throws: as categorical_crossentropy.
Tensor binary_crossentropy(const Arg& y_true, const Arg& y_pred,
                           const CrossentropyOptions& options = {});

/// Options of SparseCategoricalCrossentropy.
struct SparseCategoricalCrossentropyOptions {
  /// y_pred holds logits, not probabilities.
  bool from_logits = false;
  /// A label that does not count.
  OptionalInt ignore_class = {};
  /// How the values are reduced: see Reduction.
  Reduction reduction = Reduction::sum_over_batch_size;
  /// The classes' axis; only the last is supported.
  int axis = -1;
  /// What messages and logs call it.
  std::string name = "sparse_categorical_crossentropy";
  /// Of the computation.
  DType dtype = DType::float32;

  /// Calls v(key, value) for each option.
  template <class V>
  void visit(V&& v) const {
    v("from_logits", from_logits);
    v("ignore_class", ignore_class);
    v("reduction", reduction);
    v("axis", axis);
    v("name", name);
    v("dtype", dtype);
  }
};

/// The reduction of sparse_categorical_crossentropy.
class SparseCategoricalCrossentropy : public Loss {
 public:
  /// Axis and shapes are checked when called, not here.
  explicit SparseCategoricalCrossentropy(
      const SparseCategoricalCrossentropyOptions& options = {});
};
static_assert(sizeof(SparseCategoricalCrossentropy) == sizeof(Loss));

/// Options of CategoricalCrossentropy.
struct CategoricalCrossentropyOptions {
  /// y_pred holds logits, not probabilities.
  bool from_logits = false;
  /// 0 ... 1: how far labels are drawn to even (1 / classes each).
  double label_smoothing = 0;
  /// The classes' axis.
  int axis = -1;
  /// How the values are reduced: see Reduction.
  Reduction reduction = Reduction::sum_over_batch_size;
  /// What messages and logs call it.
  std::string name = "categorical_crossentropy";
  /// Of the computation.
  DType dtype = DType::float32;

  /// Calls v(key, value) for each option.
  template <class V>
  void visit(V&& v) const {
    v("from_logits", from_logits);
    v("label_smoothing", label_smoothing);
    v("axis", axis);
    v("reduction", reduction);
    v("name", name);
    v("dtype", dtype);
  }
};

/// The reduction of categorical_crossentropy.
class CategoricalCrossentropy : public Loss {
 public:
  /// Throws: ValueError for label_smoothing outside 0 ... 1.
  explicit CategoricalCrossentropy(
      const CategoricalCrossentropyOptions& options = {});
};
static_assert(sizeof(CategoricalCrossentropy) == sizeof(Loss));

/// Options of BinaryCrossentropy.
struct BinaryCrossentropyOptions {
  /// y_pred holds logits, not probabilities.
  bool from_logits = false;
  /// 0 ... 1: how far labels are drawn to 0.5.
  double label_smoothing = 0;
  /// The axis averaged over.
  int axis = -1;
  /// How the values are reduced: see Reduction.
  Reduction reduction = Reduction::sum_over_batch_size;
  /// What messages and logs call it.
  std::string name = "binary_crossentropy";
  /// Of the computation.
  DType dtype = DType::float32;

  /// Calls v(key, value) for each option.
  template <class V>
  void visit(V&& v) const {
    v("from_logits", from_logits);
    v("label_smoothing", label_smoothing);
    v("axis", axis);
    v("reduction", reduction);
    v("name", name);
    v("dtype", dtype);
  }
};

/// The reduction of binary_crossentropy.
class BinaryCrossentropy : public Loss {
 public:
  /// Throws: ValueError for label_smoothing outside 0 ... 1.
  explicit BinaryCrossentropy(const BinaryCrossentropyOptions& options = {});
};
static_assert(sizeof(BinaryCrossentropy) == sizeof(Loss));

}  // namespace systolic::losses
