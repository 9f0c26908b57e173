#include "systolic/ops/statistics.h"

#include <cmath>

#include "systolic/base/message.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic {

namespace {

Tensor real(const Arg& x) { return cast(x, floating_dtype(x.dtype())); }

// The root, whose gradient at zero is zero.
Tensor safe_sqrt(const Tensor& squares) {
  const Tensor positive = squares > 0;
  return where(positive, sqrt(where(positive, squares, 1)), squares);
}

}  // namespace

Tensor reduce_sum(const Arg& x, const ReduceOptions& options) {
  return sum(x, options);
}
Tensor reduce_prod(const Arg& x, const ReduceOptions& options) {
  return prod(x, options);
}
Tensor reduce_mean(const Arg& x, const ReduceOptions& options) {
  return mean(x, options);
}
Tensor reduce_max(const Arg& x, const ReduceOptions& options) {
  return max(x, options);
}
Tensor reduce_min(const Arg& x, const ReduceOptions& options) {
  return min(x, options);
}
Tensor reduce_logsumexp(const Arg& x, const ReduceOptions& options) {
  return logsumexp(x, options);
}
Tensor amax(const Arg& x, const ReduceOptions& options) {
  return max(x, options);
}
Tensor amin(const Arg& x, const ReduceOptions& options) {
  return min(x, options);
}

Tensor reduce_std(const Arg& x, const ReduceOptions& options) {
  return sqrt(var(x, options));
}

Tensor reduce_variance(const Arg& x, const ReduceOptions& options) {
  return var(x, options);
}

Tensor reduce_euclidean_norm(const Arg& x, const ReduceOptions& options) {
  return sqrt(sum(square(real(x)), options));
}

Tensor count_nonzero(const Arg& x, const ReduceOptions& options) {
  const Tensor counted = cast(not_equal(x, 0), DType::int32);
  return sum(Arg(counted, x.where()), options);
}

Tensor average(const Arg& x, const AverageOptions& options) {
  if (!options.weights.is_defined()) return mean(x, {.axis = options.axis});
  const Tensor in = real(x);
  Tensor weights = cast(options.weights, in.dtype());
  if (weights.shape() != in.shape()) {
    if (weights.rank() != 1 || options.axis.size() != 1) {
      internal::Message("average")
          .expected("weights of x's shape, or of one axis that is given")
          .got(weights.shape())
          .detail("input", in.spec())
          .at(x.where())
          .raise<ShapeError>();
    }
    const int axis = resolve_axis(options.axis[0], in.rank(), "average");
    Shape beside = Shape::filled(in.rank(), 1);
    beside.set(axis, weights.shape()[0]);
    weights = broadcast_to(reshape(weights, beside), in.shape());
  }
  const ReduceOptions over{.axis = options.axis};
  return sum(in * weights, over) / sum(weights, over);
}

Tensor clip_by_norm(const Arg& x, const Arg& clip_norm, const Axes& axes) {
  const Tensor in = real(x);
  const Tensor norm =
      safe_sqrt(sum(square(in), {.axis = axes, .keepdims = true}));
  return in * clip_norm / maximum(norm, clip_norm);
}

Tensor global_norm(const std::vector<Tensor>& t_list) {
  Tensor total;
  for (const Tensor& t : t_list) {
    if (!t.is_defined()) continue;
    const Tensor part = sum(square(real(t)));
    total = total.is_defined() ? total + part : part;
  }
  if (!total.is_defined()) {
    internal::Message("global_norm")
        .expected("at least one Tensor that is set")
        .got("none")
        .raise<ValueError>();
  }
  return safe_sqrt(total);
}

std::pair<std::vector<Tensor>, Tensor> clip_by_global_norm(
    const std::vector<Tensor>& t_list, const Arg& clip_norm) {
  const Tensor norm = global_norm(t_list);
  // A norm that is no number shows in every element, as in TensorFlow.
  const Tensor scale =
      where(isfinite(norm), clip_norm / maximum(norm, clip_norm), NAN);
  std::vector<Tensor> clipped;
  for (const Tensor& t : t_list) {
    clipped.push_back(t.is_defined() ? t * cast(scale, t.dtype()) : Tensor());
  }
  return {clipped, norm};
}

}  // namespace systolic
