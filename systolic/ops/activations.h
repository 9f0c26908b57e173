// More functions that neurons apply, beside those of nn.h.
//
//   Tensor y = nn::glu(x);
//   Tensor p = nn::sparsemax(logits);
#pragma once

#include "systolic/graph/arg.h"

namespace systolic::nn {

/// max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1).
Tensor celu(const Arg& x, double alpha = 1.0);
/// x * sigmoid(x): silu's other name.
Tensor swish(const Arg& x);
/// x * hard_sigmoid(x).
Tensor hard_silu(const Arg& x);
/// hard_silu's other name.
Tensor hard_swish(const Arg& x);
/// x limited to [-1, 1].
Tensor hard_tanh(const Arg& x);
/// x where |x| > threshold, else 0.
Tensor hard_shrink(const Arg& x, double threshold = 0.5);
/// x moved towards 0 by threshold.
Tensor soft_shrink(const Arg& x, double threshold = 0.5);
/// x - tanh(x).
Tensor tanh_shrink(const Arg& x);
/// (x + sqrt(x^2 + b)) / 2.
Tensor squareplus(const Arg& x, double b = 4.0);
/// x where it is above threshold, else default_value.
Tensor threshold(const Arg& x, double threshold, double default_value);
/// The first half along an axis times the sigmoid of the second.
Tensor glu(const Arg& x, int axis = -1);
/// The nearest probabilities to x along an axis; many are exactly 0 (Martins
/// and Astudillo 2016).
Tensor sparsemax(const Arg& x, int axis = -1);

}  // namespace systolic::nn
