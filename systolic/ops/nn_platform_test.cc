#include <gtest/gtest.h>

#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::nn_samples() {
  const Array x = Array::from({0.25, -1.75, 2.25, -0.375, 4.5, -3.25}, {2, 3});
  const auto one = [](Tensor (*f)(const Arg&)) {
    return [f](const Tensors& in) { return Tensors{f(in[0])}; };
  };
  std::vector<OpSample> samples{
      {.op = "softmax",
       .call =
           [](const Tensors& in) {
             return Tensors{nn::softmax(in[0]), nn::softmax(in[0], 0)};
           },
       .inputs = {x}},
      {.op = "log_softmax",
       .call =
           [](const Tensors& in) {
             return Tensors{nn::log_softmax(in[0]), nn::log_softmax(in[0], 0)};
           },
       .inputs = {x}},
      {.op = "softplus", .call = one(nn::softplus), .inputs = {x}},
      {.op = "relu",
       .call = one(nn::relu),
       .inputs = {x},
       .dtypes = contracts::floats_and_integers()},
      {.op = "log_softmax",
       .name = "cross entropy",
       .call =
           [](const Tensors& in) {
             return Tensors{nn::sparse_softmax_cross_entropy(in[1], in[0])};
           },
       .inputs = {x, Array::from({2, 0})}}};
  // Composites: their gradients come from ops that have samples, but what
  // they say of a value is theirs.
  struct {
    const char* name;
    const char* op;
    Tensor (*f)(const Arg&);
    // Whether it needs no order, so that complex numbers have it, too.
    bool of_complex = false;
  } const composites[] = {
      {"relu6", "relu", nn::relu6},
      {"leaky_relu", "where", [](const Arg& v) { return nn::leaky_relu(v); }},
      {"elu", "expm1", [](const Arg& v) { return nn::elu(v); }},
      {"selu", "expm1", nn::selu},
      {"gelu", "tanh", [](const Arg& v) { return nn::gelu(v); }, true},
      {"exact gelu", "erf", [](const Arg& v) { return nn::gelu(v, false); }},
      {"softsign", "abs", nn::softsign, true},
      {"silu", "sigmoid", nn::silu, true},
      {"mish", "softplus", nn::mish},
      {"hard_sigmoid", "relu", nn::hard_sigmoid},
      {"log_sigmoid", "softplus", nn::log_sigmoid}};
  for (const auto& c : composites) {
    samples.push_back(
        {.op = c.op,
         .name = std::string("in ") + c.name,
         .call = one(c.f),
         .inputs = {x},
         .dtypes = c.of_complex ? contracts::kInexact : contracts::kFloats,
         .error = 3});
  }
  return samples;
}

namespace {

using internal::ops::begins;
using internal::ops::Comparisons;
using internal::ops::message_of;

const Array kX = Array::from({-3.f, -1.f, 0.f, 0.5f, 2.f, 8.f});

// The formula, element by element, in float64.
Array each(double (*f)(double)) {
  Array y = cast<double>(kX);
  for (double& value : y.mutable_span<double>()) value = f(value);
  return cast<float>(y);
}

double sigmoid_of(double v) { return 1 / (1 + std::exp(-v)); }

TEST(Nn, ActivationsAreTheirFormulas) {
  const Tensor x = constant(kX);
  Comparisons list;
  list.add("relu", relu(x), each([](double v) { return std::max(v, 0.); }));
  list.add("relu of ints", nn::relu(constant(Array::from({-1, 2}))),
           Array::from({0, 2}));
  list.add("relu6", nn::relu6(x),
           each([](double v) { return std::clamp(v, 0., 6.); }));
  list.add("leaky_relu", nn::leaky_relu(x, 0.1),
           each([](double v) { return v > 0 ? v : 0.1 * v; }));
  list.add("elu", nn::elu(x, 2),
           each([](double v) { return v > 0 ? v : 2 * std::expm1(v); }));
  list.add("selu", nn::selu(x), each([](double v) {
             return 1.05070098735548 *
                    (v > 0 ? v : 1.67326324235438 * std::expm1(v));
           }));
  list.add("gelu", nn::gelu(x), each([](double v) {
             return 0.5 * v *
                    (1 + std::tanh(std::sqrt(2 / M_PI) *
                                   (v + 0.044715 * v * v * v)));
           }));
  list.add("exact gelu", nn::gelu(x, false), each([](double v) {
             return 0.5 * v * (1 + std::erf(v / std::sqrt(2.)));
           }));
  list.add("softplus", nn::softplus(x),
           each([](double v) { return std::log1p(std::exp(v)); }));
  list.add("softsign", nn::softsign(x),
           each([](double v) { return v / (1 + std::abs(v)); }));
  list.add("silu", nn::silu(x),
           each([](double v) { return v * sigmoid_of(v); }));
  list.add("mish", nn::mish(x), each([](double v) {
             return v * std::tanh(std::log1p(std::exp(v)));
           }));
  list.add("hard_sigmoid", nn::hard_sigmoid(x),
           each([](double v) { return std::clamp(v + 3, 0., 6.) / 6; }));
  list.add("log_sigmoid", nn::log_sigmoid(x),
           each([](double v) { return std::log(sigmoid_of(v)); }));
}

TEST(Nn, LargeValuesDoNotOverflow) {
  const Tensor x = constant(Array::from({-1000.f, 0.f, 1000.f}));
  Comparisons list;
  list.add("softmax", nn::softmax(x), Array::from({0.f, 0.f, 1.f}));
  list.add("log_softmax", nn::log_softmax(x),
           Array::from({-2000.f, -1000.f, 0.f}));
  list.add("softplus", nn::softplus(x), Array::from({0.f, 0.6931472f, 1000.f}));
  list.add("log_sigmoid", nn::log_sigmoid(x),
           Array::from({-1000.f, -0.6931472f, 0.f}));
  list.add("elu", nn::elu(x), Array::from({-1.f, 0.f, 1000.f}));
  for (auto f : {+[](const Arg& v) { return nn::softplus(v); },
                 +[](const Arg& v) { return nn::elu(v); },
                 +[](const Arg& v) { return nn::selu(v); },
                 +[](const Arg& v) { return nn::gelu(v); },
                 +[](const Arg& v) { return nn::silu(v); },
                 +[](const Arg& v) { return nn::mish(v); },
                 +[](const Arg& v) { return nn::log_sigmoid(v); },
                 +[](const Arg& v) { return nn::log_softmax(v); }}) {
    GradientTape tape;
    tape.watch(x);
    const Tensor gradient = tape.gradient(f(x), x);
    list.add("finite gradient", all(isfinite(gradient)), Array::scalar(true));
  }
}

TEST(Nn, SoftmaxAlongAxes) {
  const Array x = Array::from({1.f, 2.f, 3.f, 0.f}, {2, 2});
  const auto soft = [](const Array& v, int axis) {
    const Array e = exp(v);
    return e / sum(e, {.axis = axis, .keepdims = true});
  };
  Comparisons list;
  list.add("last", nn::softmax(constant(x)), soft(x, -1));
  list.add("first", nn::softmax(constant(x), 0), soft(x, 0));
  list.add("log", nn::log_softmax(constant(x), 0), log(soft(x, 0)));
  list.add("of ints", nn::softmax(constant(cast<int>(x))), soft(x, -1));
}

TEST(Nn, CrossEntropyOfLabels) {
  const Array logits = Array::from({1.f, 2.f, 0.5f, -1.f}, {2, 2});
  Comparisons list;
  list.add("cross entropy",
           nn::sparse_softmax_cross_entropy(constant(Array::from({1, 0})),
                                            constant(logits)),
           Array::from({0.31326166f, 0.20141323f}));
}

TEST(Nn, WrongUsesAreTold) {
  const Tensor x = constant(Array::zeros({4, 10}));
  const int line = __LINE__ + 1;
  const auto wrong = [&] { nn::sparse_softmax_cross_entropy(x, x); };
  EXPECT_EQ(message_of<ShapeError>(wrong),
            "sparse_softmax_cross_entropy: expected labels with one axis fewer "
            "than the logits, got ranks 2 and 2\n"
            "  labels: float32[4, 10]\n"
            "  logits: float32[4, 10]\n"
            "  at: nn_platform_test.cc:" +
                std::to_string(line));
  EXPECT_TRUE(begins(message_of<OutOfRangeError>([&] { nn::softmax(x, 2); }),
                     "softmax: "));
}

}  // namespace
}  // namespace systolic
