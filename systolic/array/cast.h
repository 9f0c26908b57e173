// Conversion of a host array to another dtype.
//   Array x = cast<float>(image) / 255.f;     Array y = cast(x, DType::int32);
// What already has the dtype is returned as it is, sharing its elements.
#pragma once

#include "systolic/array/array.h"

namespace systolic {

// The elements as another dtype: to bool, true unless zero; floats to
// integers, towards zero, saturating at the type's limits and 0 for NaN;
// narrow floats round to nearest even; integers wrap.
// complex numbers to bool, true unless both parts are zero.
// Throws: TypeError between string and another dtype, and from complex to a
// real dtype, which would lose the imaginary part: take real(x) (complex.h).
Array cast(const Array& x, DType dtype);
template <ArrayElement T>
Array cast(const Array& x) {
  return cast(x, dtype_of<T>);
}

}  // namespace systolic
