// The idx format of MNIST and its relatives: an n-dimensional array in a file,
// plain or compressed by gzip.
//   Array images = datasets::load_idx("train-images-idx3-ubyte.gz");
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "systolic/array/array.h"

namespace systolic::datasets {

// The Array in an idx file of uint8, int8, int16, int32, float32 or float64.
// Throws: NotFoundError when there is no such file; DataError, with the check
// that failed and its offset, when the file is damaged.
Array load_idx(const std::string& path);

namespace detail {

using Bytes = std::vector<std::byte>;

// The Array in the bytes of an unpacked idx file, which it keeps alive. `path`
// is the file's name for errors, `hint` what they advise.
Array parse_idx(std::shared_ptr<const Bytes> bytes, const std::string& path,
                const std::string& hint);

}  // namespace detail
}  // namespace systolic::datasets
