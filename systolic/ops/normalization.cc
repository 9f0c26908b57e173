#include "systolic/ops/normalization.h"

#include <cmath>

#include "systolic/base/message.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/creation.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/rearrange.h"
#include "systolic/ops/reductions.h"

namespace systolic::nn {

namespace {

bool is_half(DType dtype) {
  return dtype == DType::float16 || dtype == DType::bfloat16;
}

// As floating-point numbers of at least 32 bits.
Tensor widened(const Arg& x) {
  const DType dtype = floating_dtype(x.dtype());
  return cast(x, is_half(dtype) ? DType::float32 : dtype);
}

// A parameter with the sizes of these axes, in a shape that broadcasts with x.
Tensor fitted(const char* who, const Tensor& parameter, const Tensor& x,
              const Axes& axes, const SourceLocation& where) {
  Shape wanted = Shape::scalar(), shape = Shape::filled(x.rank(), 1);
  for (int axis : axes) {
    wanted.push_back(x.shape()[axis]);
    shape.set(axis, x.shape()[axis]);
  }
  if (parameter.shape() != wanted && parameter.shape() != shape) {
    internal::Message(who)
        .expected("parameters of shape ", wanted)
        .got(parameter.shape())
        .detail("input", x.spec())
        .at(where)
        .raise<ShapeError>();
  }
  return reshape(cast(parameter, x.dtype()), shape);
}

}  // namespace

Moments moments(const Arg& x, const MomentsOptions& options) {
  const DType dtype = floating_dtype(x.dtype());
  const Tensor in = widened(x);
  const ReduceOptions over{.axis = options.axis, .keepdims = true};
  Moments result{systolic::mean(in, over), {}};
  if (options.synchronized) {
    result.mean = all_reduce(ReduceOp::mean, result.mean);
  }
  result.variance = systolic::mean(square(in - result.mean), over);
  if (options.synchronized) {
    result.variance = all_reduce(ReduceOp::mean, result.variance);
  }
  const Axes axes = options.axis.resolve(in.rank(), "moments");
  for (Tensor* each : {&result.mean, &result.variance}) {
    if (!options.keepdims) *each = squeeze(*each, axes);
    *each = cast(*each, dtype);
  }
  return result;
}

Tensor normalize(const Arg& x, const NormalizeOptions& options) {
  if (options.order < 1) {
    internal::Message("normalize")
        .expected("an order of at least 1")
        .got(options.order)
        .at(x.where())
        .raise<ValueError>();
  }
  const Tensor in = cast(x, floating_dtype(x.dtype()));
  const ReduceOptions over{.axis = options.axis, .keepdims = true};
  if (options.order == 2) {
    const Tensor inverse = rsqrt(sum(square(in), over));
    return in * minimum(inverse, 1 / options.epsilon);
  }
  const Tensor powers =
      options.order == 1 ? abs(in)
                         : power(abs(in), static_cast<double>(options.order));
  const Tensor norm = power(sum(powers, over), 1. / options.order);
  return in / maximum(norm, options.epsilon);
}

Tensor l2_normalize(const Arg& x, const L2NormalizeOptions& options) {
  const Tensor in = cast(x, floating_dtype(x.dtype()));
  const Tensor squares =
      sum(square(in), {.axis = options.axis, .keepdims = true});
  return in * rsqrt(maximum(squares, options.epsilon));
}

Tensor batch_normalization(const Arg& x, const Arg& mean, const Arg& variance,
                           const BatchNormalizationOptions& options) {
  const DType dtype = floating_dtype(x.dtype());
  const Tensor in = widened(x);
  const Axes axes =
      Axes(options.axis).resolve(in.rank(), "batch_normalization");
  const auto fit = [&](const Tensor& parameter) {
    return fitted("batch_normalization", parameter, in, axes, x.where());
  };
  Tensor factor = rsqrt(fit(variance.tensor()) + options.epsilon);
  if (options.scale.is_defined()) factor = factor * fit(options.scale);
  Tensor y = (in - fit(mean.tensor())) * factor;
  if (options.offset.is_defined()) y = y + fit(options.offset);
  return cast(y, dtype);
}

Tensor layer_normalization(const Arg& x,
                           const LayerNormalizationOptions& options) {
  const DType dtype = floating_dtype(x.dtype());
  const Tensor in = widened(x);
  const Axes axes = options.axis.resolve(in.rank(), "layer_normalization");
  const auto [mean, variance] = moments(in, {.axis = axes, .keepdims = true});
  const auto fit = [&](const Tensor& parameter) {
    return fitted("layer_normalization", parameter, in, axes, x.where());
  };
  Tensor y = (in - mean) * rsqrt(variance + options.epsilon);
  if (options.gamma.is_defined()) y = y * fit(options.gamma);
  if (options.beta.is_defined()) y = y + fit(options.beta);
  return cast(y, dtype);
}

Tensor rms_normalization(const Arg& x, const RmsNormalizationOptions& options) {
  const DType dtype = floating_dtype(x.dtype());
  const Tensor in = widened(x);
  const Axes axes = options.axis.resolve(in.rank(), "rms_normalization");
  const Tensor squares =
      systolic::mean(square(in), {.axis = axes, .keepdims = true});
  Tensor y = in * rsqrt(squares + options.epsilon);
  if (options.scale.is_defined()) {
    y = y * fitted("rms_normalization", options.scale, in, axes, x.where());
  }
  return cast(y, dtype);
}

Tensor dot_product_attention(const Arg& query, const Arg& key, const Arg& value,
                             const AttentionOptions& options) {
  auto [q, k] = internal::graph::promote_operands(query, key);
  Tensor v = cast(value, q.dtype());
  const bool fits =
      q.rank() == 4 && k.rank() == 4 && v.rank() == 4 &&
      q.shape()[0] == k.shape()[0] && q.shape()[3] == k.shape()[3] &&
      k.shape()[0] == v.shape()[0] && k.shape()[1] == v.shape()[1] &&
      k.shape()[2] == v.shape()[2] && k.shape()[2] > 0 &&
      q.shape()[2] % k.shape()[2] == 0;
  if (!fits) {
    internal::Message("dot_product_attention")
        .expected("query (n, t, heads, h), key (n, s, heads, h) and value ",
                  "(n, s, heads, h)")
        .got(q.shape(), ", ", k.shape(), " and ", v.shape())
        .at(query.where())
        .raise<ShapeError>();
  }
  if (const int64_t groups = q.shape()[2] / k.shape()[2]; groups > 1) {
    k = repeat(k, groups, 2);
    v = repeat(v, groups, 2);
  }
  const double scale =
      options.scale.value_or(1 / std::sqrt(static_cast<double>(q.shape()[3])));
  // Scores in float32 at least: (n, heads, t, s).
  Tensor scores =
      widened(matmul(transpose(q, {0, 2, 1, 3}), transpose(k, {0, 2, 3, 1}))) *
      scale;
  if (options.bias.is_defined()) {
    scores = scores + cast(options.bias, scores.dtype());
  }
  constexpr double kHidden = -0.7 * 3.4e38;
  if (options.mask.is_defined()) {
    scores = where(options.mask, scores, kHidden);
  }
  if (options.is_causal) {
    const Tensor seen = tri(scores.shape()[2], {.columns = scores.shape()[3],
                                                .dtype = DType::boolean});
    scores = where(seen, scores, kHidden);
  }
  const Tensor weights = cast(softmax(scores), v.dtype());
  return transpose(matmul(weights, transpose(v, {0, 2, 1, 3})), {0, 2, 1, 3});
}

}  // namespace systolic::nn
