#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/layers/layers.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/layer_contract.h"

namespace systolic::layers {
namespace {

std::string first_lines(const std::string& text) {
  return text.substr(0, text.find("\n  at: "));
}

TEST(DenseContract, Plain) {
  contracts::check_layer(
      {.make = [](DTypePolicy dtype) { return Dense(4, {.dtype = dtype}); },
       .input_shape = {3},
       .output_shape = {4},
       .weights = {{"kernel", {3, 4}}, {"bias", {4}}}});
}

TEST(DenseContract, RankThreeWithActivationWithoutBias) {
  contracts::check_layer(
      {.make =
           [](DTypePolicy dtype) {
             return Dense(
                 4, {.activation = "tanh", .use_bias = false, .dtype = dtype});
           },
       .input_shape = {5, 3},
       .output_shape = {5, 4},
       .weights = {{"kernel", {3, 4}}}});
}

TEST(DenseGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_dense", [](const golden::Value& options) {
        return Dense(options.at("units").integer(),
                     {.activation = options.get("activation", "linear"),
                      .use_bias = options.get("use_bias", true),
                      .dtype = options.get("dtype", "float32")});
      });
}

TEST(Dense, KernelAndBiasAreReached) {
  const Dense dense(2, {.kernel_initializer = "ones"});
  EXPECT_FALSE(dense.kernel().is_defined());
  dense.build({-1, 3});
  EXPECT_EQ(dense.kernel().numpy().to_string(),
            "[[1. 1.]\n [1. 1.]\n [1. 1.]]");
  EXPECT_EQ(dense.bias().numpy().to_string(), "[0. 0.]");
}

TEST(Dense, ARankOneInputIsAnErrorAtTheUsersLine) {
  const Dense dense(10, {.name = "logits"});
  try {
    dense(zeros({32}));
    FAIL() << "no exception";
  } catch (const ShapeError& e) {
    EXPECT_EQ(first_lines(e.what()),
              "Dense \"logits\": expected input rank >= 2, got rank 1\n"
              "  input: float32[32]\n"
              "  hint: add a batch axis, for example expand_dims(x, 0)");
    EXPECT_NE(std::string(e.what()).find("  at: dense_platform_test.cc:"),
              std::string::npos)
        << e.what();
  }
}

TEST(Dense, KeepsItsInputSize) {
  const Dense dense(10, {.name = "logits"});
  dense(zeros({2, 3}));
  dense(zeros({5, 4, 3}));
  try {
    dense(zeros({2, 4}));
    FAIL() << "no exception";
  } catch (const ShapeError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "Dense \"logits\": expected axis -1 of input shape to have value 3, "
        "got 4\n  input: float32[2, 4]\n  built for: (2, 3)\n"))
        << e.what();
  }
}

TEST(Dense, UnknownFeaturesCannotBeBuilt) {
  const Dense dense(10, {.name = "logits"});
  try {
    dense.build({-1, -1});
    FAIL() << "no exception";
  } catch (const ShapeError& e) {
    EXPECT_EQ(first_lines(e.what()),
              "Dense \"logits\": expected known sizes for weight \"kernel\", "
              "got (None, 10)\n"
              "  hint: only the batch may be unknown (None) when a layer is "
              "built");
  }
  EXPECT_FALSE(dense.built());
  dense.build({-1, 3});
  EXPECT_EQ(dense.weights().size(), 2u);
}

TEST(Dense, AUsersActivationAndIntegerInput) {
  const Dense dense(1, {.activation = [](const Tensor& x) { return x * x; },
                        .kernel_initializer = "ones"});
  EXPECT_EQ(dense(Array::from({1, 2}, {1, 2})).numpy().to_string(), "[[9.]]");
}

}  // namespace
}  // namespace systolic::layers
