// Rows of different lengths, as tf.RaggedTensor: all values behind each other,
// and for each ragged axis where its rows begin and end.
//   RaggedArray words(Array::from({3, 1, 4}), {Array::from<int64_t>({0, 2,
//   3})}); words.to_string();   // "[[3, 1], [4]]" Array padded =
//   words.to_array();
// As a data::Element it is the dict {"row_splits": (int64[n + 1], ...),
// "values": T[m, ...]}, outermost splits first.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/array/shape.h"
#include "systolic/data/element.h"

namespace systolic::data {

// Values and the splits of one or more ragged axes.
class RaggedArray {
 public:
  // No rows of float32.
  RaggedArray();
  // Row i of the innermost ragged axis is values[splits[i] : splits[i + 1]],
  // where `splits` is row_splits.back(), and so on outwards. Each is an int64
  // (or int32) Array of one axis that starts at 0, never falls, and ends at
  // the number of rows below it. Throws ValueError where one does not, or
  // for no splits.
  RaggedArray(Array values, std::vector<Array> row_splits);
  // One row behind the other, of `lengths` values each.
  // Throws ValueError unless the lengths add up to the number of values.
  static RaggedArray from_row_lengths(const Array& values,
                                      const std::vector<int64_t>& lengths);
  // The rows, which agree in dtype and in all axes but the first.
  // Throws ValueError for no rows, ShapeError, TypeError where they differ.
  static RaggedArray from_rows(const std::vector<Array>& rows);

  // All values; its first axis counts what the innermost rows hold.
  const Array& values() const { return values_; }
  // The splits, int64, one Array for each ragged axis, outermost first.
  const std::vector<Array>& row_splits() const { return row_splits_; }
  // The number of ragged axes.
  int ragged_rank() const { return static_cast<int>(row_splits_.size()); }
  // The number of rows of the outermost axis.
  int64_t nrows() const { return row_splits_[0].size() - 1; }
  // The lengths of the rows of the outermost axis.
  std::vector<int64_t> row_lengths() const;
  // Values of row `index` where there is one ragged axis: a view.
  // Throws OutOfRangeError past the end, ValueError for more axes.
  Array row(int64_t index) const;
  // The tight bounds of all axes: (nrows, the longest row, ...).
  Shape bounding_shape() const;

  // A dense Array: each row filled up with `default_value`, a scalar of the
  // values' dtype (zero or "" when not given), to bounding_shape() or to
  // `shape`, in which -1 stands for the bound; what is longer is cut off.
  // Throws ShapeError for a `shape` of another rank, TypeError for another
  // dtype.
  Array to_array(const Array& default_value = Array(),
                 const Shape& shape = {}) const;

  // As tf.RaggedTensor prints its rows: "[[3, 1], [4]]".
  std::string to_string() const;

 private:
  Array values_;
  std::vector<Array> row_splits_;
};

// Writes to_string().
std::ostream& operator<<(std::ostream& out, const RaggedArray& array);

template <>
struct ElementTraits<RaggedArray> {
  static Element to_element(RaggedArray value);
  static RaggedArray from_element(Element& element);
  static ElementSpec spec() { return ElementSpec::any_dict(); }
};

}  // namespace systolic::data
