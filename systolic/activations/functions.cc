#include "systolic/activations/functions.h"

#include "systolic/ops/activations.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"

namespace systolic::activations {

Tensor relu(const Arg& x, const ReluOptions& options) {
  const bool plain = options.threshold == 0 && !options.max_value;
  if (options.negative_slope == 0 && plain) return nn::relu(x);
  if (plain) return nn::leaky_relu(x, options.negative_slope);
  const Tensor value = x.tensor();
  Tensor y;
  if (options.threshold != 0) {
    y = where(value > options.threshold, value, 0);
  } else if (options.max_value == 6.0) {
    y = nn::relu6(value);
  } else {
    y = nn::relu(value);
  }
  if (options.max_value &&
      (options.threshold != 0 || *options.max_value != 6)) {
    y = clip(y, 0, *options.max_value);
  }
  if (options.negative_slope != 0) {
    const Tensor below = nn::relu(options.threshold - value);
    y = y - options.negative_slope * below;
  }
  return y;
}

Tensor leaky_relu(const Arg& x, double negative_slope) {
  return nn::leaky_relu(x, negative_slope);
}

Tensor relu6(const Arg& x) { return nn::relu6(x); }
Tensor elu(const Arg& x, double alpha) { return nn::elu(x, alpha); }
Tensor selu(const Arg& x) { return nn::selu(x); }

Tensor celu(const Arg& x, double alpha) { return nn::celu(x, alpha); }
Tensor gelu(const Arg& x, bool approximate) { return nn::gelu(x, approximate); }
Tensor sigmoid(const Arg& x) { return systolic::sigmoid(x); }
Tensor tanh(const Arg& x) { return systolic::tanh(x); }
Tensor exponential(const Arg& x) { return exp(x); }
Tensor linear(const Arg& x) { return x.tensor(); }
Tensor softplus(const Arg& x) { return nn::softplus(x); }
Tensor softsign(const Arg& x) { return nn::softsign(x); }
Tensor silu(const Arg& x) { return nn::silu(x); }
Tensor swish(const Arg& x) { return nn::silu(x); }
Tensor mish(const Arg& x) { return nn::mish(x); }
Tensor hard_sigmoid(const Arg& x) { return nn::hard_sigmoid(x); }

Tensor hard_silu(const Arg& x) { return nn::hard_silu(x); }
Tensor hard_swish(const Arg& x) { return nn::hard_silu(x); }
Tensor hard_tanh(const Arg& x) { return nn::hard_tanh(x); }

Tensor hard_shrink(const Arg& x, double threshold) {
  return nn::hard_shrink(x, threshold);
}

Tensor soft_shrink(const Arg& x, double threshold) {
  return nn::soft_shrink(x, threshold);
}

Tensor tanh_shrink(const Arg& x) { return nn::tanh_shrink(x); }
Tensor squareplus(const Arg& x, double b) { return nn::squareplus(x, b); }
Tensor log_sigmoid(const Arg& x) { return nn::log_sigmoid(x); }
Tensor softmax(const Arg& x, int axis) { return nn::softmax(x, axis); }
Tensor log_softmax(const Arg& x, int axis) { return nn::log_softmax(x, axis); }

}  // namespace systolic::activations
