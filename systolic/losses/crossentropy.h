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
#include <optional>

#include "systolic/losses/loss.h"

namespace systolic::losses {

struct CrossentropyOptions {
  bool from_logits = false;
  double label_smoothing = 0;  // 0 ... 1: how far labels are drawn to even
  int axis = -1;
};

struct SparseCrossentropyOptions {
  bool from_logits = false;
  std::optional<int64_t> ignore_class = {};  // a label that does not count
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

struct SparseCategoricalCrossentropyOptions {
  bool from_logits = false;
  std::optional<int64_t> ignore_class = {};
  Reduction reduction = Reduction::sum_over_batch_size;
  int axis = -1;
  std::string name = "sparse_categorical_crossentropy";
  DType dtype = DType::float32;

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

class SparseCategoricalCrossentropy : public Loss {
 public:
  explicit SparseCategoricalCrossentropy(
      const SparseCategoricalCrossentropyOptions& options = {});
};
static_assert(sizeof(SparseCategoricalCrossentropy) == sizeof(Loss));

struct CategoricalCrossentropyOptions {
  bool from_logits = false;
  double label_smoothing = 0;
  int axis = -1;
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = "categorical_crossentropy";
  DType dtype = DType::float32;

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

class CategoricalCrossentropy : public Loss {
 public:
  explicit CategoricalCrossentropy(
      const CategoricalCrossentropyOptions& options = {});
};
static_assert(sizeof(CategoricalCrossentropy) == sizeof(Loss));

struct BinaryCrossentropyOptions {
  bool from_logits = false;
  double label_smoothing = 0;
  int axis = -1;
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = "binary_crossentropy";
  DType dtype = DType::float32;

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

class BinaryCrossentropy : public Loss {
 public:
  explicit BinaryCrossentropy(const BinaryCrossentropyOptions& options = {});
};
static_assert(sizeof(BinaryCrossentropy) == sizeof(Loss));

}  // namespace systolic::losses
