// Neural-network ops: convolution, pooling, activations, softmax.
//
//   Tensor y = nn::conv(x, kernel, {.strides = {2, 2}, .padding =
//   Padding::same});
//
// Images are (batch, height, width, channels); kernels (height, width,
// channels in / groups, channels out), as Keras has them.
#pragma once

#include <array>
#include <cstdint>

#include "systolic/graph/arg.h"

namespace systolic {

/// How windows treat the border: only whole windows, or zeros around so that
/// the result has size ceil(input / stride).
enum class Padding : uint8_t { valid, same };

/// `valid` or `same`.
std::string_view name(Padding padding);
/// From `"valid"` or `"same"`; throws ValueError otherwise.
Padding padding_from_name(std::string_view text);

namespace nn {

/// What a convolution applies to its result.
enum class FusedActivation : uint8_t { none, relu };

/// How conv's window moves, as Keras's conv takes it.
struct ConvOptions {
  /// Rows and columns from one window to the next.
  std::array<int64_t, 2> strides = {1, 1};
  /// How windows treat the border.
  Padding padding = Padding::valid;
  /// Rows and columns between the kernel's elements; 1: dense.
  std::array<int64_t, 2> dilation_rate = {1, 1};
  /// Parts that channels in and out are cut into, each on its own.
  int64_t groups = 1;
  /// Applied last.
  FusedActivation activation = FusedActivation::none;
};

/// 2-D convolution. Shapes: x (n, h, w, c), kernel (kh, kw, c / groups, f)
/// -> (n, h', w', f).
Tensor conv(const Arg& x, const Arg& kernel, const ConvOptions& options = {});

/// The same with `bias` (f) added, and then the activation.
Tensor conv(const Arg& x, const Arg& kernel, const Arg& bias,
            const ConvOptions& options);

/// How a pooling's window moves, as Keras's pooling takes it.
struct PoolOptions {
  /// Rows and columns of a window.
  std::array<int64_t, 2> pool_size = {2, 2};
  /// 0: as pool_size.
  std::array<int64_t, 2> strides = {0, 0};
  /// How windows treat the border.
  Padding padding = Padding::valid;
};

/// Largest element of each window. Shapes: (n, h, w, c) -> (n, h', w', c).
Tensor max_pool(const Arg& x, const PoolOptions& options = {});

/// Mean of each window, of the elements that are inside the image; integers
/// become float32. Shapes: (n, h, w, c) -> (n, h', w', c).
Tensor average_pool(const Arg& x, const PoolOptions& options = {});

/// max(x, 0).
Tensor relu(const Arg& x);
/// min(max(x, 0), 6).
Tensor relu6(const Arg& x);
/// x where positive, else negative_slope * x.
Tensor leaky_relu(const Arg& x, double negative_slope = 0.2);
/// x where positive, else alpha * (exp(x) - 1).
Tensor elu(const Arg& x, double alpha = 1.0);
/// elu with the scale that keeps mean and variance.
Tensor selu(const Arg& x);
/// x times the normal distribution function at x.
Tensor gelu(const Arg& x, bool approximate = true);
/// log(1 + exp(x)).
Tensor softplus(const Arg& x);
/// x / (1 + |x|).
Tensor softsign(const Arg& x);
/// x * sigmoid(x).
Tensor silu(const Arg& x);
/// x * tanh(softplus(x)).
Tensor mish(const Arg& x);
/// relu6(x + 3) / 6.
Tensor hard_sigmoid(const Arg& x);
/// log(sigmoid(x)).
Tensor log_sigmoid(const Arg& x);

/// exp(x) over its sum along `axis`.
Tensor softmax(const Arg& x, int axis = -1);
/// log(softmax(x)), without overflow.
Tensor log_softmax(const Arg& x, int axis = -1);

/// Cross entropy of integer labels and logits, per row. Shapes: labels
/// (...), logits (..., classes) -> (...).
Tensor sparse_softmax_cross_entropy(const Arg& labels, const Arg& logits);

}  // namespace nn

/// Keras's top-level spelling of the commonest activation.
Tensor relu(const Arg& x);

}  // namespace systolic
