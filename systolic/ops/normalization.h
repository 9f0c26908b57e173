// Means and variances, what normalises by them, and attention.
//
//   auto [mean, variance] = nn::moments(x, {.axis = {0, 1, 2}});
//   Tensor y = nn::layer_normalization(x, {.gamma = gamma, .beta = beta});
//
// Half precision is computed in float32 and given back as it came.
#pragma once

#include <optional>

#include "systolic/array/axes.h"
#include "systolic/graph/arg.h"

namespace systolic::nn {

/// What moments gives.
struct Moments {
  Tensor mean;
  Tensor variance;
};
struct MomentsOptions {
  /// Unset: all axes.
  Axes axis = {};
  bool keepdims = false;
  /// Over all replicas of the step, too.
  bool synchronized = false;
};
/// Mean and (population) variance.
Moments moments(const Arg& x, const MomentsOptions& options = {});

struct NormalizeOptions {
  Axes axis = -1;
  /// The norm: the order-th root of the sum of |x| to the power order.
  int order = 2;
  double epsilon = 1e-7;
};
/// `x` divided by its norm along the axes, or by epsilon where that is larger.
Tensor normalize(const Arg& x, const NormalizeOptions& options = {});

struct L2NormalizeOptions {
  Axes axis = {};
  double epsilon = 1e-12;
};
/// x / sqrt(max(sum(x^2), epsilon)), TensorFlow's.
Tensor l2_normalize(const Arg& x, const L2NormalizeOptions& options = {});

struct BatchNormalizationOptions {
  /// The axis of mean, variance, offset and scale.
  int axis = -1;
  /// Added, and multiplied before; undefined: neither.
  Tensor offset = {};
  Tensor scale = {};
  double epsilon = 1e-3;
};
/// (x - mean) / sqrt(variance + epsilon) * scale + offset.
Tensor batch_normalization(const Arg& x, const Arg& mean, const Arg& variance,
                           const BatchNormalizationOptions& options = {});

struct LayerNormalizationOptions {
  /// Multiplied and added; undefined: neither. Their axes are the normalised.
  Tensor gamma = {};
  Tensor beta = {};
  Axes axis = -1;
  double epsilon = 1e-7;
};
/// Mean 0 and variance 1 along the axes, then times gamma plus beta.
Tensor layer_normalization(const Arg& x,
                           const LayerNormalizationOptions& options = {});

struct RmsNormalizationOptions {
  /// Multiplied; undefined: not.
  Tensor scale = {};
  Axes axis = -1;
  double epsilon = 1e-7;
};
/// x / sqrt(mean(x^2) + epsilon) * scale.
Tensor rms_normalization(const Arg& x,
                         const RmsNormalizationOptions& options = {});

struct AttentionOptions {
  /// Added to the scores; broadcasts to (n, heads, t, s). Undefined: none.
  Tensor bias = {};
  /// Where to look (bool); broadcasts as bias does. Undefined: everywhere.
  Tensor mask = {};
  /// Unset: 1 / sqrt(size of a head).
  std::optional<double> scale = std::nullopt;
  /// Whether each place sees only those up to it.
  bool is_causal = false;
};
/// softmax(query key^T scale) value, head by head. Shapes: query (n, t, heads,
/// h), key and value (n, s, heads or fewer that divide them, h) -> (n, t,
/// heads, h).
Tensor dot_product_attention(const Arg& query, const Arg& key, const Arg& value,
                             const AttentionOptions& options = {});

}  // namespace systolic::nn

namespace systolic {

/// Keras's place of it.
using nn::moments;

}  // namespace systolic
