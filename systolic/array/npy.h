// Arrays as the bytes of NumPy's .npy files.
//   std::vector<std::byte> bytes = to_npy(array);
//   Array same = from_npy(bytes);
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "systolic/array/array.h"

namespace systolic {

// The whole file's bytes, as np.save writes them; bfloat16 as "V2",
// float8_e4m3fn as "V1", float8_e5m2 as "f1", as ml_dtypes does; strings as
// bytes of the longest's length.
std::vector<std::byte> to_npy(const Array& array);

// The array of a .npy file's bytes, in row-major order and host byte order.
// Throws: DataError naming `source` for damaged bytes, TypeError for an
// element type that has no counterpart.
Array from_npy(std::span<const std::byte> bytes,
               std::string_view source = "npy");

}  // namespace systolic
