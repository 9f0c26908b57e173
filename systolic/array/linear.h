// Matrix products and one-hot rows of host arrays.
//   matmul(a, b);  one_hot(labels, 10);
// Plain loops: meant for data and tests, not for models.
#pragma once

#include "systolic/array/array.h"

namespace systolic {

// The matrix product over the last two axes; axes before them broadcast, and
// a vector counts as a row on the left, as a column on the right.
// Shapes: (..., m, k), (..., k, n) -> (..., m, n).
// Throws: ShapeError where the inner sizes differ or an operand is a scalar.
Array matmul(const Array& a, const Array& b);

// The shape that matmul gives; throws as matmul, naming both specs.
Shape matmul_shape(const TensorSpec& a, const TensorSpec& b);

// The options of one_hot.
struct OneHotOptions {
  int axis = -1;                 // where the new axis goes
  DType dtype = DType::float32;  // of the result

  bool operator==(const OneHotOptions&) const = default;
};
// Rows of zeros with a one at each integer's position; a position outside
// 0 ... num_classes-1 gives zeros only.
// Throws: TypeError unless x holds integers.
Array one_hot(const Array& x, int64_t num_classes,
              const OneHotOptions& options = {});

}  // namespace systolic
