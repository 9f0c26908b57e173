#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/layers/activations/activation.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/layer_contract.h"

namespace systolic::layers {
namespace {

TEST(ActivationContract, AllLayers) {
  const std::function<Layer(DTypePolicy)> makers[] = {
      [](DTypePolicy dtype) { return Activation("tanh", {.dtype = dtype}); },
      [](DTypePolicy dtype) {
        return ReLU({.negative_slope = 0.25, .dtype = dtype});
      },
      [](DTypePolicy dtype) { return LeakyReLU(0.2, {.dtype = dtype}); },
      [](DTypePolicy dtype) { return ELU(0.5, {.dtype = dtype}); },
      [](DTypePolicy dtype) { return Softmax({.axis = 1, .dtype = dtype}); }};
  for (const auto& make : makers) {
    contracts::check_layer(
        {.make = make, .input_shape = {3, 4}, .output_shape = {3, 4}});
  }
}

TEST(ActivationGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_activation", [](const golden::Value& options) {
        return Activation(options.at("activation").text(),
                          {.dtype = options.get("dtype", "float32")});
      });
}

TEST(ReLU, OptionsByHand) {
  const ReLU layer({.max_value = 4, .negative_slope = 0.5, .threshold = 1});
  EXPECT_EQ(layer(Array::from({-1.f, 0.5f, 2.f, 9.f})).numpy().to_string(),
            "[-1.   -0.25  2.    4.  ]");
  EXPECT_THROW(ReLU({.max_value = -1}), ValueError);
  EXPECT_THROW(ReLU({.negative_slope = -1}), ValueError);
}

TEST(LeakyReLU, OptionsByHand) {
  const Array x = Array::from({-1.f, 0.f, 2.f});
  EXPECT_TRUE(allclose(LeakyReLU()(x).numpy(), Array::from({-0.3f, 0.f, 2.f})));
  EXPECT_TRUE(
      allclose(ELU(2)(x).numpy(), Array::from({-1.2642411f, 0.f, 2.f})));
  EXPECT_THROW(LeakyReLU(-1), ValueError);
}

TEST(Softmax, SumsToOneAlongItsAxis) {
  const Array x = Array::from({1.f, 2.f, 3.f, 4.f}, {2, 2});
  const Tensor sums = sum(Softmax({.axis = 0})(x), {.axis = 0});
  EXPECT_TRUE(allclose(sums.numpy(), Array::ones({2})));
}

TEST(Activation, TakesAFunction) {
  const Activation twice([](const Tensor& x) { return x * 2; });
  EXPECT_EQ(twice(Array::from({1.f, 2.f})).numpy().to_string(), "[2. 4.]");
}

}  // namespace
}  // namespace systolic::layers
