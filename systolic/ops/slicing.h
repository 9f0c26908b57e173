// Slicing: the op behind x[{1, Slice(0, 3), ellipsis}].
//
//   Tensor rows = slice(x, {Slice(0, 4), all});
//
// Starts are literals of the program until they change; then arguments.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "systolic/array/index.h"
#include "systolic/graph/arg.h"

namespace systolic {

/// The part of `x` that `indices` name, by NumPy's rules of basic indexing.
/// Throws OutOfRangeError for an integer outside its axis.
Tensor slice(const Arg& x, std::span<const Index> indices);
Tensor slice(const Arg& x, Indices indices);

/// A block of `shape` from starts that may be values of the program: one
/// scalar for each axis, or all in a Tensor. On a device a block that does not
/// fit is moved inside.
Tensor slice(const Arg& x, std::initializer_list<Arg> start_indices,
             const Shape& shape);
Tensor slice(const Arg& x, const Arg& start_indices, const Shape& shape);
/// `inputs` with a block replaced by `updates`, from starts as slice takes.
Tensor slice_update(const Arg& inputs, std::initializer_list<Arg> start_indices,
                    const Arg& updates);
Tensor slice_update(const Arg& inputs, const Arg& start_indices,
                    const Arg& updates);

}  // namespace systolic

namespace systolic::internal::ops {

/// `x` with `value` around (negative widths trim) and between its elements.
Tensor pad_edges(const Arg& x, const Arg& value, std::vector<int64_t> low,
                 std::vector<int64_t> high, std::vector<int64_t> interior);

}  // namespace systolic::internal::ops
