// Keras's activation functions, with Keras's names and defaults.
//
//   Tensor y = activations::gelu(x, true);
//
// All give the shape and dtype of x; integers become float32 where the
// result is real.
#pragma once

#include <optional>

#include "systolic/graph/arg.h"

namespace systolic::activations {

struct ReluOptions {
  double negative_slope = 0.0;
  std::optional<double> max_value = std::nullopt;
  double threshold = 0.0;
};

// x where above the threshold, at most max_value; below the threshold
// negative_slope * (x - threshold).
Tensor relu(const Arg& x, const ReluOptions& options = {});
// x where positive, else negative_slope * x.
Tensor leaky_relu(const Arg& x, double negative_slope = 0.2);
// min(max(x, 0), 6).
Tensor relu6(const Arg& x);
// x where positive, else alpha * (exp(x) - 1).
Tensor elu(const Arg& x, double alpha = 1.0);
// elu with the scale that keeps mean and variance.
Tensor selu(const Arg& x);
// max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1).
Tensor celu(const Arg& x, double alpha = 1.0);
// x times the normal distribution function at x.
Tensor gelu(const Arg& x, bool approximate = false);
// 1 / (1 + exp(-x)).
Tensor sigmoid(const Arg& x);
// The hyperbolic tangent.
Tensor tanh(const Arg& x);
// exp(x).
Tensor exponential(const Arg& x);
// x.
Tensor linear(const Arg& x);
// log(1 + exp(x)).
Tensor softplus(const Arg& x);
// x / (1 + |x|).
Tensor softsign(const Arg& x);
// x * sigmoid(x), also called swish.
Tensor silu(const Arg& x);
Tensor swish(const Arg& x);
// x * tanh(softplus(x)).
Tensor mish(const Arg& x);
// relu6(x + 3) / 6.
Tensor hard_sigmoid(const Arg& x);
// x * hard_sigmoid(x), also called hard_swish.
Tensor hard_silu(const Arg& x);
Tensor hard_swish(const Arg& x);
// x limited to [-1, 1].
Tensor hard_tanh(const Arg& x);
// x where |x| > threshold, else 0.
Tensor hard_shrink(const Arg& x, double threshold = 0.5);
// x moved towards 0 by the threshold, 0 within it.
Tensor soft_shrink(const Arg& x, double threshold = 0.5);
// x - tanh(x).
Tensor tanh_shrink(const Arg& x);
// (x + sqrt(x * x + b)) / 2.
Tensor squareplus(const Arg& x, double b = 4.0);
// log(sigmoid(x)).
Tensor log_sigmoid(const Arg& x);
// exp(x) over its sum along `axis`.
Tensor softmax(const Arg& x, int axis = -1);
// log(softmax(x)), without overflow.
Tensor log_softmax(const Arg& x, int axis = -1);

}  // namespace systolic::activations
