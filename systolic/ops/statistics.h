// Spread, counts, averages, norms that gradients are clipped by.
//
//   Tensor spread = reduce_std(x, {.axis = 0});
//   auto [clipped, norm] = clip_by_global_norm(gradients, 1.0);
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "systolic/array/axes.h"
#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic {

/// TensorFlow's names of sum, prod, mean, max, min, logsumexp.
Tensor reduce_sum(const Arg& x, const ReduceOptions& options = {});
Tensor reduce_prod(const Arg& x, const ReduceOptions& options = {});
Tensor reduce_mean(const Arg& x, const ReduceOptions& options = {});
Tensor reduce_max(const Arg& x, const ReduceOptions& options = {});
Tensor reduce_min(const Arg& x, const ReduceOptions& options = {});
Tensor reduce_logsumexp(const Arg& x, const ReduceOptions& options = {});
/// Keras's other names of max and min.
Tensor amax(const Arg& x, const ReduceOptions& options = {});
Tensor amin(const Arg& x, const ReduceOptions& options = {});

/// Standard deviation (population). Keras's name is the namespace std's.
Tensor reduce_std(const Arg& x, const ReduceOptions& options = {});
/// Variance (population); TensorFlow's name of var.
Tensor reduce_variance(const Arg& x, const ReduceOptions& options = {});
/// sqrt(sum(x * x)).
Tensor reduce_euclidean_norm(const Arg& x, const ReduceOptions& options = {});
/// How many elements are not zero (int32).
Tensor count_nonzero(const Arg& x, const ReduceOptions& options = {});

/// Where it falls between two elements: "linear", "lower", "higher",
/// "midpoint" or "nearest".
struct QuantileOptions {
  Axes axis;  // unset: all
  std::string_view method = "linear";
  bool keepdims = false;
};
/// What a share q of the elements, in [0, 1], is below; NaN where one is NaN.
/// q is a number, or a vector whose axis comes first in the result.
Tensor quantile(const Arg& x, const Arg& q,
                const QuantileOptions& options = {});
/// The middle element, or the mean of the middle two.
Tensor median(const Arg& x, const ReduceOptions& options = {});

/// The mean with weights of x's shape, or of its size along the one axis.
struct AverageOptions {
  Axes axis;
  Tensor weights = {};  // unset: the mean
};
Tensor average(const Arg& x, const AverageOptions& options = {});

/// `x` scaled down, where its norm (over all axes, or those given) is more
/// than `clip_norm`.
Tensor clip_by_norm(const Arg& x, const Arg& clip_norm, const Axes& axes = {});
/// The norm of all elements of all Tensors that are set, as one vector.
/// Throws ValueError where none is.
Tensor global_norm(const std::vector<Tensor>& t_list);
/// The Tensors scaled down together, where their global norm is more than
/// `clip_norm`, and that norm. Unset Tensors stay unset; where the norm is
/// not finite, all elements become NaN.
std::pair<std::vector<Tensor>, Tensor> clip_by_global_norm(
    const std::vector<Tensor>& t_list, const Arg& clip_norm);

}  // namespace systolic
