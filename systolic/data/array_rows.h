// Copies of rows and scalars between host Arrays of any dtype, strings too.
// Shared by what pads, joins and scatters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/array/array.h"

namespace systolic::data::detail {

// A scalar of `dtype`: zero, false or "".
Array zero_of(DType dtype);

// An Array of `spec` that is written piece by piece, every element first the
// scalar `fill`, which has spec's dtype.
class ArrayWriter {
 public:
  ArrayWriter(const TensorSpec& spec, const Array& fill);

  // Copies `count` elements of `from`, which has the same dtype, from its
  // element `first` on, to the element `to`. All in row-major order.
  void copy(const Array& from, int64_t first, int64_t count, int64_t to);
  // Copies `from`, which has an axis less, into the corner at the origin of row
  // `row`; it is nowhere longer than the row.
  void copy_corner(const Array& from, int64_t row);
  // The Array; the writer is empty behind it.
  Array finish();

 private:
  void copy_corner(const Array& from, int axis, int64_t first, int64_t to);

  TensorSpec spec_;
  Array array_;
  std::byte* memory_ = nullptr;
  size_t width_ = 0;
  std::vector<std::string> strings_;
};

}  // namespace systolic::data::detail
