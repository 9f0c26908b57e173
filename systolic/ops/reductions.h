// Ops that combine the elements along axes.
//
//   Tensor per_row = sum(x, {.axis = -1});
//   Tensor everything = mean(x);
#pragma once

#include "systolic/array/axes.h"
#include "systolic/array/reductions.h"
#include "systolic/graph/arg.h"

namespace systolic {

/// Sum; narrow integers and bool become int32.
Tensor sum(const Arg& x, const ReduceOptions& options = {});
/// Product.
Tensor prod(const Arg& x, const ReduceOptions& options = {});
/// Mean; integers become float32.
Tensor mean(const Arg& x, const ReduceOptions& options = {});
/// Variance (population).
Tensor var(const Arg& x, const ReduceOptions& options = {});
/// Largest element.
Tensor max(const Arg& x, const ReduceOptions& options = {});
/// Smallest element.
Tensor min(const Arg& x, const ReduceOptions& options = {});
/// Whether any element is true.
Tensor any(const Arg& x, const ReduceOptions& options = {});
/// The same.
Tensor reduce_any(const Arg& x, const ReduceOptions& options = {});
/// Whether all elements are true; also spelled `all(x)`.
Tensor reduce_all(const Arg& x, const ReduceOptions& options = {});
/// log(sum(exp(x))), without overflow.
Tensor logsumexp(const Arg& x, const ReduceOptions& options = {});
/// Index (int32) of the first largest element.
Tensor argmax(const Arg& x, const ArgReduceOptions& options = {});
/// Index (int32) of the first smallest element.
Tensor argmin(const Arg& x, const ArgReduceOptions& options = {});

}  // namespace systolic
