// First and second gradients, through loops and branches too, are JAX's
// (tests/parity/record_jax.py).
#include <gtest/gtest.h>

#include "systolic/graph/tape.h"
#include "systolic/ops/control_flow.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/reductions.h"
#include "systolic/testing/golden.h"

namespace systolic {
namespace {

using Tensors = std::vector<Tensor>;

Tensor rnn(const Tensors& in) {
  const auto [last, all_h] = scan(
      [&](const Tensor& h, const Tensor& x) {
        const Tensor next = tanh(matmul(h, in[0]) + matmul(x, in[1]));
        return std::pair(next, next);
      },
      in[3], in[2]);
  return sum(last * last) + sum(all_h);
}

// Square roots by a loop that ends by itself.
Tensor newton(const Tensor& a) {
  const Tensor root =
      while_loop([&](const Tensor& x) { return max(abs(x * x - a)) > 1e-12; },
                 [&](const Tensor& x) { return (x + a / x) / 2; }, ones_like(a),
                 {.maximum_iterations = 20});
  return sum(root * root * root);
}

Tensor branch(const Tensor& x, const Tensor& y) {
  return cond(
      sum(x) > 0, [&] { return sum(exp(x) * y * y); },
      [&] { return sum(x * cos(y * x)); });
}

Tensor call(const std::string& name, const Tensors& in) {
  if (name == "tanh_chain") {
    return sum(square(tanh(matmul(tanh(matmul(in[0], in[1])), in[2]))));
  }
  if (name == "conv") {
    const Tensor y = nn::conv(in[0], in[1]);
    return sum(sin(y) * y);
  }
  if (name == "crossentropy") return -sum(in[1] * nn::log_softmax(in[0]));
  if (name == "rnn") return rnn(in);
  if (name == "newton") return newton(in[0]);
  return branch(in[0], in[1]);
}

TEST(GradientsGolden, FirstAndSecondAreJaxs) {
  const golden::Tolerance close{1e-8, 1e-8};
  for (const golden::Case& c : golden::load("gradients")) {
    SCOPED_TRACE(c.name());
    const std::string name = c.options().at("function").text();
    const size_t count = name == "rnn"          ? 4
                         : name == "tanh_chain" ? 3
                         : name == "newton"     ? 1
                                                : 2;
    Tensors inputs;
    GradientTape outer, inner;
    for (size_t i = 0; i < count; ++i) {
      inputs.push_back(constant(c.array("input/" + std::to_string(i))));
      outer.watch(inputs.back());
      inner.watch(inputs.back());
    }
    const Tensor value = call(name, inputs);
    EXPECT_EQ(golden::difference(value.numpy(), c.array("value"), close), "");
    const Tensors first = inner.gradient(value, inputs);
    const Tensor along = sum(first[0] * constant(c.array("direction")));
    const Tensors second = outer.gradient(
        along, inputs, {.unconnected_gradients = UnconnectedGradients::zero});
    for (size_t i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      EXPECT_EQ(golden::difference(first[i].numpy(),
                                   c.array("gradient/" + number), close),
                "")
          << "gradient " << i;
      EXPECT_EQ(golden::difference(second[i].numpy(),
                                   c.array("second/" + number), close),
                "")
          << "second " << i;
    }
  }
}

}  // namespace
}  // namespace systolic
