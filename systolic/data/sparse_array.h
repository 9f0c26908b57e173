// An Array that is mostly zeros, as tf.SparseTensor: where the others stand.
//   SparseArray s(Array::from<int64_t>({0, 2, 1, 0}, {2, 2}),
//                 Array::from({5.f, 7.f}), Array::from<int64_t>({2, 3}));
//   s.to_dense();   // [[0 0 5] [7 0 0]]
// As a data::Element it is the dict {"dense_shape": int64[rank],
// "indices": int64[n, rank], "values": T[n]}.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "systolic/array/array.h"
#include "systolic/array/shape.h"
#include "systolic/data/element.h"

namespace systolic::data {

// Values, their places, and the shape that they lie in.
class SparseArray {
 public:
  // An empty float32 vector.
  SparseArray();
  // `values` (n), at `indices` (n, rank), of an Array of `dense_shape` (rank);
  // the latter two int64. Throws ShapeError where they do not fit together,
  // TypeError for another dtype, ValueError for an index outside of the shape.
  SparseArray(Array indices, Array values, Array dense_shape);
  // What is not zero, or not "", in `dense`, in row-major order.
  static SparseArray from_dense(const Array& dense);

  // int64 (n, rank).
  const Array& indices() const { return indices_; }
  // (n).
  const Array& values() const { return values_; }
  // int64 (rank).
  const Array& dense_shape() const { return dense_shape_; }
  // dense_shape() as a Shape.
  Shape shape() const;

  // The Array, with `default_value` (a scalar; zero or "" when not given)
  // wherever there is no value; of two at one place the last stays.
  // Throws TypeError when it has another dtype than the values.
  Array to_dense(const Array& default_value = Array()) const;

  // "SparseArray(indices=[[0 2] [1 0]], values=[5. 7.], dense_shape=[2 3])".
  std::string to_string() const;

 private:
  Array indices_;
  Array values_;
  Array dense_shape_;
};

// Writes to_string().
std::ostream& operator<<(std::ostream& out, const SparseArray& array);

template <>
struct ElementTraits<SparseArray> {
  static Element to_element(SparseArray value);
  static SparseArray from_element(Element& element);
  static ElementSpec spec() { return ElementSpec::any_dict(); }
};

}  // namespace systolic::data
