// Reading and writing elements at positions that are values of the program.
//
//   Tensor picked = gather_nd(x, {{0, 1}, {2, 0}});
//   Tensor more = tensor_scatter_nd_add(x, indices, updates);
//
// The last axis of `indices` (i..., k) names k axes of x (a..., b...); what is
// read or written there has the shape (i..., b...). Negative positions count
// from the end. Positions outside are told where their values are known; on a
// device reading takes the nearest one, and writing leaves them out.
#pragma once

#include <optional>

#include "systolic/graph/arg.h"

namespace systolic {

/// The slices of `x` at `indices`.
Tensor gather_nd(const Arg& x, const Arg& indices);

/// `tensor` with the slices at `indices` replaced by `updates`; of several for
/// one place, any.
Tensor tensor_scatter_nd_update(const Arg& tensor, const Arg& indices,
                                const Arg& updates);
/// `tensor` with `updates` added at `indices`.
Tensor tensor_scatter_nd_add(const Arg& tensor, const Arg& indices,
                             const Arg& updates);
/// `tensor` with `updates` subtracted at `indices`.
Tensor tensor_scatter_nd_sub(const Arg& tensor, const Arg& indices,
                             const Arg& updates);
/// The larger of `tensor` and the `updates` at `indices`.
Tensor tensor_scatter_nd_max(const Arg& tensor, const Arg& indices,
                             const Arg& updates);
/// The smaller of `tensor` and the `updates` at `indices`.
Tensor tensor_scatter_nd_min(const Arg& tensor, const Arg& indices,
                             const Arg& updates);

/// Zeros of `shape` with `updates` added at `indices`.
Tensor scatter_nd(const Arg& indices, const Arg& updates, const Shape& shape);
/// Keras's name for scatter_nd.
Tensor scatter(const Arg& indices, const Arg& values, const Shape& shape);
/// Keras's name for tensor_scatter_nd_update.
Tensor scatter_update(const Arg& inputs, const Arg& indices,
                      const Arg& updates);

/// Of each row along `axis` the elements at that row's `indices`, whose other
/// axes broadcast with x's; nullopt: of the flattened x.
Tensor take_along_axis(const Arg& x, const Arg& indices,
                       std::optional<int> axis = -1);
/// `x` with `values` written where take_along_axis would read.
Tensor put_along_axis(const Arg& x, const Arg& indices, const Arg& values,
                      int axis = -1);

}  // namespace systolic

namespace systolic::internal::ops {

/// Zeros of `shape` with `updates` added at `indices`, which are not checked:
/// updates outside, negative ones included, are left out.
Tensor scatter_add(const Tensor& indices, const Tensor& updates,
                   const Shape& shape);

}  // namespace systolic::internal::ops
