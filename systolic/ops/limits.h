// The ends of a dtype's range as Arrays without axes: what maximum and minimum
// begin with. For the sources of this room.
#pragma once

#include "systolic/array/array.h"

namespace systolic::internal::ops {

/// The least value: minus infinity, the least integer, false.
Array lowest(DType dtype);

/// The greatest value: infinity, the greatest integer, true.
Array highest(DType dtype);

}  // namespace systolic::internal::ops
