// What the sources of linear algebra share on Tensors. Inside of the room ops.
#pragma once

#include <utility>

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic::internal::ops {

/// The last two axes change places.
Tensor matrix_transpose(const Tensor& x);

/// The lower triangle, with or without (strict) the diagonal; zeros above.
Tensor lower_part(const Tensor& x, bool strict);

/// As float64, or as float32: what decompositions are made in.
Tensor as_matrices(const Arg& x);

/// A result in the floating dtype that belongs to x.
Tensor as_before(const Tensor& result, const Arg& x);

/// Both as matrices of one dtype, with broadcast leading axes.
std::pair<Tensor, Tensor> align_matrices(const Arg& a, const Arg& b);

}  // namespace systolic::internal::ops
