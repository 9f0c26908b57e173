#include "systolic/ops/activations.h"

#include "systolic/base/message.h"
#include "systolic/ops/creation.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/rearrange.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/sort.h"

namespace systolic::nn {

Tensor celu(const Arg& x, double alpha) {
  const Tensor value = x.tensor();
  return maximum(value, 0) + alpha * expm1(minimum(value, 0) / alpha);
}

Tensor swish(const Arg& x) { return silu(x); }

Tensor hard_silu(const Arg& x) {
  const Tensor value = x.tensor();
  return value * hard_sigmoid(value);
}

Tensor hard_swish(const Arg& x) { return hard_silu(x); }
Tensor hard_tanh(const Arg& x) { return clip(x, -1, 1); }

Tensor hard_shrink(const Arg& x, double threshold) {
  const Tensor value = x.tensor();
  return where(abs(value) > threshold, value, 0);
}

Tensor soft_shrink(const Arg& x, double threshold) {
  const Tensor value = x.tensor();
  return where(value > threshold, value - threshold,
               where(value < -threshold, value + threshold, 0));
}

Tensor tanh_shrink(const Arg& x) {
  const Tensor value = x.tensor();
  return value - systolic::tanh(value);
}

Tensor squareplus(const Arg& x, double b) {
  const Tensor value = x.tensor();
  return (value + sqrt(square(value) + b)) / 2;
}

Tensor threshold(const Arg& x, double threshold, double default_value) {
  const Tensor value = x.tensor();
  return where(value > threshold, value, default_value);
}

Tensor glu(const Arg& x, int axis) {
  const Tensor value = x.tensor();
  const int place = resolve_axis(axis, value.rank(), "glu");
  if (value.shape()[place] % 2 != 0) {
    internal::Message("glu")
        .expected("an even size along axis ", place)
        .got(value.shape()[place])
        .detail("input", value.spec())
        .at(x.where())
        .raise<ShapeError>();
  }
  const auto halves = split(Arg(value, x.where()), 2, place);
  return halves[0] * sigmoid(halves[1]);
}

Tensor sparsemax(const Arg& x, int axis) {
  const Tensor value = cast(x, floating_dtype(x.dtype()));
  const int place = resolve_axis(axis, value.rank(), "sparsemax");
  const Tensor scores = moveaxis(Arg(value, x.where()), place, -1);
  const int64_t size = scores.shape()[-1];
  const Tensor sorted = sort(scores, {.descending = true});
  // Sums of the k largest, for each k.
  const Tensor sums = squeeze(
      matmul(expand_dims(sorted, -2), triu(ones({size, size}, scores.dtype()))),
      -2);
  const Tensor count = cast(arange(size) + 1, scores.dtype());
  const Tensor support = cast(sorted * count > sums - 1, scores.dtype());
  const ReduceOptions over{.axis = -1, .keepdims = true};
  const Tensor excess = sum(sorted * support, over) - 1;
  const Tensor probabilities = nn::relu(scores - excess / sum(support, over));
  return moveaxis(probabilities, -1, place);
}

}  // namespace systolic::nn
