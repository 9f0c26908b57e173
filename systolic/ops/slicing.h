// Slicing: the op behind x[{1, Slice(0, 3), ellipsis}].
//
//   Tensor rows = slice(x, {Slice(0, 4), all});
//
// Starts are literals of the program until they change; then arguments.
#pragma once

#include <span>
#include <vector>

#include "systolic/array/index.h"
#include "systolic/graph/arg.h"

namespace systolic {

/// The part of `x` that `indices` name, by NumPy's rules of basic indexing.
/// Throws OutOfRangeError for an integer outside its axis.
Tensor slice(const Arg& x, std::span<const Index> indices);
Tensor slice(const Arg& x, Indices indices);

}  // namespace systolic

namespace systolic::internal::ops {

/// `x` with `value` around (negative widths trim) and between its elements.
Tensor pad_edges(const Arg& x, const Arg& value, std::vector<int64_t> low,
                 std::vector<int64_t> high, std::vector<int64_t> interior);

}  // namespace systolic::internal::ops
