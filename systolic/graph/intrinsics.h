// The few ops that the graph itself needs; the ops room re-exports them.
#pragma once

#include <utility>

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic::internal::graph {

/// Both operands as Tensors of the dtype they promote to (Keras 3's rules).
std::pair<Tensor, Tensor> promote_operands(const Arg& x, const Arg& y);

/// Whether they are Tensors of one dtype, so that nothing is to be promoted.
bool are_alike(const Arg& x, const Arg& y);

/// Elementwise sum and difference, broadcast and promoted.
Tensor add(const Arg& x, const Arg& y);
Tensor subtract(const Arg& x, const Arg& y);

/// Elementwise negation.
Tensor negative(const Arg& x);

/// The values as another dtype.
Tensor convert(const Arg& x, DType dtype);

/// The real part; x itself unless it is complex.
Tensor real_part(const Arg& x);

/// The conjugate; x itself unless it is complex.
Tensor conjugate(const Arg& x);

/// The value in a node of its own.
Tensor identity(const Tensor& x);

/// The value, with no gradient through it.
Tensor stop_gradient(const Arg& x);

/// `x` repeated to `shape` by NumPy's broadcasting.
Tensor broadcast_to(const Arg& x, const Shape& shape);

/// The inverse of broadcasting: `x` summed down to `shape`.
Tensor sum_to(const Tensor& x, const Shape& shape);

/// All elements equal to a constant of the program.
Tensor zeros_of(const TensorSpec& spec);
Tensor ones_of(const TensorSpec& spec);

}  // namespace systolic::internal::graph
