// What the features of an Example are parsed as: tf.io's classes.
//   const data::Features features{
//       {"image", data::FixedLenFeature({}, DType::string)},
//       {"words", data::VarLenFeature(DType::int64)}};
// Values are of float32, int64 or string, the only ones that Examples hold.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/array/shape.h"
#include "systolic/data/element.h"

namespace systolic::data {
namespace detail {
// `value` as float32 or int64, where `dtype` is that and holds such numbers.
Array default_scalar(DType dtype, const Array& value);
}  // namespace detail

// A feature with a known number of values. Parsed: an Array of `shape`.
struct FixedLenFeature {
  // `default_value` stands where the feature is missing or has no values: an
  // Array of `shape`, or a scalar for all of it. Without one that is an error,
  // unless `shape` has no elements.
  FixedLenFeature(const Shape& shape, DType dtype,
                  Array default_value = Array())
      : shape(shape.is_set() ? shape : Shape::scalar()),
        dtype(dtype),
        default_value(std::move(default_value)) {}
  // A number, which becomes one of `dtype`, or a text.
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_same_v<T, const char*>
  FixedLenFeature(const Shape& shape, DType dtype, T default_value)
      : FixedLenFeature(
            shape, dtype,
            detail::default_scalar(dtype, Array::scalar(default_value))) {}

  Shape shape;
  DType dtype;
  Array default_value;
};

// A feature with any number of values. Parsed: a SparseArray with one axis
// for the values.
struct VarLenFeature {
  explicit VarLenFeature(DType dtype) : dtype(dtype) {}

  DType dtype;
};

// Values and their places from two or more features. Parsed: a SparseArray of
// shape `size`, by rising indices.
struct SparseFeature {
  // One axis: feature `index_key` has the places of feature `value_key`.
  SparseFeature(std::string index_key, std::string value_key, DType dtype,
                int64_t size, bool already_sorted = false)
      : SparseFeature(std::vector<std::string>{std::move(index_key)},
                      std::move(value_key), dtype, std::vector<int64_t>{size},
                      already_sorted) {}
  // An axis for each of the keys and sizes.
  SparseFeature(std::vector<std::string> index_key, std::string value_key,
                DType dtype, std::vector<int64_t> size,
                bool already_sorted = false)
      : index_key(std::move(index_key)),
        value_key(std::move(value_key)),
        dtype(dtype),
        size(std::move(size)),
        already_sorted(already_sorted) {}

  std::vector<std::string> index_key;
  std::string value_key;
  DType dtype;
  std::vector<int64_t> size;
  // Whether the indices rise already, so that nothing is sorted.
  bool already_sorted;
};

// How a RaggedFeature's values are cut into rows.
struct RaggedPartition {
  enum class Kind : uint8_t {
    row_splits,
    row_lengths,
    row_starts,
    row_limits,
    value_rowids,
    uniform_row_length,
  };

  Kind kind;
  // The feature that has the numbers; of uniform_row_length: no feature.
  std::string key;
  // The length of each row; of uniform_row_length only.
  int64_t length = 0;
};

// A feature of rows of different lengths. Parsed: an Array of the values, or
// with partitions a RaggedArray; of batches always a RaggedArray. Innermost
// partitions of uniform_row_length are axes of the values.
struct RaggedFeature {
  // tf.io.RaggedFeature's partitions by their names.
  static RaggedPartition RowSplits(std::string key) {
    return {RaggedPartition::Kind::row_splits, std::move(key)};
  }
  static RaggedPartition RowLengths(std::string key) {
    return {RaggedPartition::Kind::row_lengths, std::move(key)};
  }
  static RaggedPartition RowStarts(std::string key) {
    return {RaggedPartition::Kind::row_starts, std::move(key)};
  }
  static RaggedPartition RowLimits(std::string key) {
    return {RaggedPartition::Kind::row_limits, std::move(key)};
  }
  static RaggedPartition ValueRowIds(std::string key) {
    return {RaggedPartition::Kind::value_rowids, std::move(key)};
  }
  static RaggedPartition UniformRowLength(int64_t length) {
    return {RaggedPartition::Kind::uniform_row_length, {}, length};
  }

  // `value_key` is the feature with the values, by default that of the
  // RaggedFeature's own name; `partitions` come outermost first.
  // `row_splits_dtype` is int32 or int64. The rows are checked also where
  // `validate` does not ask for it.
  explicit RaggedFeature(DType dtype, std::string value_key = {},
                         std::vector<RaggedPartition> partitions = {},
                         DType row_splits_dtype = DType::int32,
                         bool validate = false)
      : dtype(dtype),
        value_key(std::move(value_key)),
        partitions(std::move(partitions)),
        row_splits_dtype(row_splits_dtype),
        validate(validate) {}

  DType dtype;
  std::string value_key;
  std::vector<RaggedPartition> partitions;
  DType row_splits_dtype;
  bool validate;
};

// A feature with any number of steps of `shape`. Parsed: an Array with the
// steps as first axis; in batches filled up with `default_value`, a scalar
// (zero or "").
struct FixedLenSequenceFeature {
  // `allow_missing`: whether a missing feature has no steps; without it that
  // is an error, which parse_example() does not offer.
  FixedLenSequenceFeature(const Shape& shape, DType dtype,
                          bool allow_missing = false,
                          Array default_value = Array())
      : shape(shape.is_set() ? shape : Shape::scalar()),
        dtype(dtype),
        allow_missing(allow_missing),
        default_value(std::move(default_value)) {}

  Shape shape;
  DType dtype;
  bool allow_missing;
  Array default_value;
};

using Feature = std::variant<FixedLenFeature, VarLenFeature, SparseFeature,
                             RaggedFeature, FixedLenSequenceFeature>;

// The features to parse, by their names. Making one takes longer than using
// it: best made once, outside of the function that map() calls.
class Features {
 public:
  Features() = default;
  // Throws ValueError for a name that is there twice, TypeError for another
  // dtype than float32, int64 and string, ShapeError for a default or a size
  // that does not fit.
  Features(std::initializer_list<std::pair<std::string, Feature>> features)
      : Features(std::vector<std::pair<std::string, Feature>>(features)) {}
  explicit Features(std::vector<std::pair<std::string, Feature>> features);

  // The features, sorted by name.
  const std::vector<std::pair<std::string, Feature>>& items() const {
    return features_;
  }
  // The keys of Examples that they are read from, sorted.
  const std::vector<std::string>& keys() const { return keys_; }
  // A dict with the features' names, for results to share its keys.
  const Element& names() const { return names_; }

 private:
  std::vector<std::pair<std::string, Feature>> features_;
  std::vector<std::string> keys_;
  Element names_ = Element::dict({});
};

}  // namespace systolic::data
