// Positions that no axis has: a device can not report them, so they are looked
// for where they are on the host anyway. Inside of the room ops.
//
//   check_positions("take", indices, {-3, 2}, in.spec());
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/graph/tensor.h"

namespace systolic::internal::ops {

/// Positions that are allowed, both ends included.
struct PositionRange {
  int64_t first = 0;
  int64_t last = 0;
  /// What messages call them, such as "labels".
  std::string_view what = "positions";
};

/// Throws OutOfRangeError with the first value outside the range and its
/// place. Does nothing for values of a step, and for those on a device, which
/// would have to be fetched.
void check_positions(std::string_view who, const Tensor& positions,
                     const PositionRange& range, const SourceLocation& where);

/// The same for index vectors, whose last axis has a position of each of the
/// first axes of `shape`, counted from either end.
void check_index_vectors(std::string_view who, const Tensor& indices,
                         const Shape& shape, const SourceLocation& where);

}  // namespace systolic::internal::ops
