// Neural-network ops: convolution, pooling, activations, softmax.
//
//   Tensor y = nn::conv(x, kernel, {.strides = {2, 2}, .padding =
//   Padding::same});
//
// Images are (batch, height, width, channels); kernels (height, width,
// channels in / groups, channels out), as Keras has them. With one or three
// axes instead of height and width the same holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "systolic/graph/arg.h"
#include "systolic/ops/per_axis.h"

namespace systolic {

/// How windows treat the border: only whole windows, or zeros around so that
/// the result has size ceil(input / stride).
enum class Padding : uint8_t { valid, same };

/// `valid` or `same`.
std::string_view name(Padding padding);
/// From `"valid"` or `"same"`; throws ValueError otherwise.
Padding padding_from_name(std::string_view text);

/// Where an image has its channels: (n, h, w, c) or (n, c, h, w).
enum class DataFormat : uint8_t { channels_last, channels_first };

namespace nn {

/// What a convolution applies to its result.
enum class FusedActivation : uint8_t { none, relu };

/// How conv's window moves, as Keras's conv takes it.
struct ConvOptions {
  /// Rows and columns from one window to the next.
  PerAxis strides = 1;
  /// How windows treat the border.
  Padding padding = Padding::valid;
  /// Rows and columns between the kernel's elements; 1: dense.
  PerAxis dilation_rate = 1;
  /// Parts that channels in and out are cut into, each on its own.
  int64_t groups = 1;
  /// Applied last.
  FusedActivation activation = FusedActivation::none;
  DataFormat data_format = DataFormat::channels_last;
};

/// Convolution over one, two or three axes. Shapes: x (n, h, w, c), kernel
/// (kh, kw, c / groups, f) -> (n, h', w', f).
Tensor conv(const Arg& x, const Arg& kernel, const ConvOptions& options = {});

/// The same with `bias` (f) added, and then the activation.
Tensor conv(const Arg& x, const Arg& kernel, const Arg& bias,
            const ConvOptions& options);

/// How the window of depthwise_conv and separable_conv moves.
struct DepthwiseConvOptions {
  PerAxis strides = 1;
  Padding padding = Padding::valid;
  PerAxis dilation_rate = 1;
  DataFormat data_format = DataFormat::channels_last;
};

/// A convolution of each channel by itself. Shapes: x (n, h, w, c), kernel
/// (kh, kw, c, m) -> (n, h', w', c m).
Tensor depthwise_conv(const Arg& x, const Arg& kernel,
                      const DepthwiseConvOptions& options = {});

/// The same, and then one by one over all channels. Shapes: depthwise_kernel
/// (kh, kw, c, m), pointwise_kernel (1, 1, c m, f) -> (n, h', w', f).
Tensor separable_conv(const Arg& x, const Arg& depthwise_kernel,
                      const Arg& pointwise_kernel,
                      const DepthwiseConvOptions& options = {});

/// How conv_transpose spreads its input.
struct ConvTransposeOptions {
  PerAxis strides = 1;
  Padding padding = Padding::valid;
  /// Elements at the end that no whole window reaches; unset: as few as can
  /// be with "valid", and with "same" a result of size input x stride.
  std::optional<PerAxis> output_padding = std::nullopt;
  PerAxis dilation_rate = 1;
  DataFormat data_format = DataFormat::channels_last;
};

/// The gradient of a convolution with respect to its input, as a layer: it
/// spreads each element over a window. Shapes: x (n, h, w, c), kernel (kh, kw,
/// f, c) -> (n, h', w', f).
Tensor conv_transpose(const Arg& x, const Arg& kernel,
                      const ConvTransposeOptions& options = {});

/// How a pooling's window moves, as Keras's pooling takes it.
struct PoolOptions {
  /// Rows and columns of a window.
  PerAxis pool_size = 2;
  /// 0: as pool_size.
  PerAxis strides = 0;
  /// How windows treat the border.
  Padding padding = Padding::valid;
  DataFormat data_format = DataFormat::channels_last;
};

/// Largest element of each window, over one, two or three axes. Shapes:
/// (n, h, w, c) -> (n, h', w', c).
Tensor max_pool(const Arg& x, const PoolOptions& options = {});

/// Mean of each window, of the elements that are inside the image; integers
/// become float32. Shapes: (n, h, w, c) -> (n, h', w', c).
Tensor average_pool(const Arg& x, const PoolOptions& options = {});

struct AdaptivePoolOptions {
  /// Rows and columns of the result.
  PerAxis output_size = 1;
  DataFormat data_format = DataFormat::channels_last;
};

/// Largest element and mean of windows that share the image out evenly: the
/// i-th of m goes from floor(i h / m) to ceil((i + 1) h / m).
Tensor adaptive_max_pool(const Arg& x, const AdaptivePoolOptions& options);
Tensor adaptive_average_pool(const Arg& x, const AdaptivePoolOptions& options);

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
