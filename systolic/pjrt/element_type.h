// The C API's numbers for element types, beside ours.
//
//   element_type_of(DType::float32);  // abi::BufferType::f32
#pragma once

#include "systolic/array/dtype.h"
#include "systolic/pjrt/abi_buffer.h"

namespace systolic::internal::pjrt {

// The C API's element type; TypeError for strings, which stay on the host.
abi::BufferType element_type_of(DType dtype);

// Our dtype; TypeError for types that arrays do not have.
DType dtype_of_element(abi::BufferType type);

}  // namespace systolic::internal::pjrt
