#include <gtest/gtest.h>

#include "systolic/activations/activations.h"
#include "systolic/activations/functions.h"
#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/golden.h"

namespace systolic::activations {
namespace {

// The recorded function with its recorded arguments.
Tensor call(const golden::Case& c, const Tensor& x) {
  const std::string name = c.options().at("function").text();
  const golden::Value& arguments = c.options().at("arguments");
  if (arguments.map().empty()) return Activation(name)(x);
  if (name == "relu") {
    ReluOptions options{.negative_slope = arguments.get("negative_slope", 0.0),
                        .threshold = arguments.get("threshold", 0.0)};
    if (arguments.has("max_value")) {
      options.max_value = arguments.at("max_value").number();
    }
    return relu(x, options);
  }
  if (name == "leaky_relu") {
    return leaky_relu(x, arguments.at("negative_slope").number());
  }
  if (name == "elu") return elu(x, arguments.at("alpha").number());
  if (name == "celu") return celu(x, arguments.at("alpha").number());
  if (name == "gelu") return gelu(x, arguments.at("approximate").boolean());
  const int axis = static_cast<int>(arguments.at("axis").integer());
  return name == "softmax" ? softmax(x, axis) : log_softmax(x, axis);
}

// Half floats are rounded in other places than Keras's; our erf is single
// precision's.
golden::Tolerance tolerance(const golden::Case& c) {
  const std::string dtype = c.options().at("dtype").text();
  if (dtype == "bfloat16") return {2e-2, 2e-2};
  if (dtype == "float16") return {4e-3, 2e-3};
  if (dtype == "float64" && c.options().at("function").text() == "gelu") {
    return {1e-6, 1e-6};
  }
  return {};
}

// TensorFlow counts celu's slope at 0 twice, once for each side.
Array without_corner(const golden::Case& c, const Array& gradient) {
  if (c.options().at("function").text() != "celu") return gradient;
  return where(equal(c.array("input"), 0), 0, gradient);
}

TEST(ActivationsGolden, ValuesAndGradientsAreKeras) {
  for (const golden::Case& c : golden::load("activations")) {
    SCOPED_TRACE(c.name());
    GradientTape tape;
    const Tensor x = constant(c.array("input"));
    tape.watch(x);
    const Tensor y = call(c, x);
    EXPECT_EQ(golden::difference(y.numpy(), c.array("output"), tolerance(c)),
              "");
    const Tensor total = sum(y * constant(c.array("output_gradient")));
    const Tensor gradient = tape.gradient(total, x);
    EXPECT_EQ(golden::difference(without_corner(c, gradient.numpy()),
                                 without_corner(c, c.array("input_gradient")),
                                 tolerance(c)),
              "");
  }
}

TEST(Activations, KeepShapeAndDtype) {
  for (const std::string_view name : names()) {
    const Tensor x = zeros({2, 3}, DType::bfloat16);
    EXPECT_EQ(Activation(std::string(name))(x).spec(), x.spec()) << name;
  }
}

TEST(Activations, TakeArraysAndUsersFunctions) {
  EXPECT_EQ(relu(Array::from({-1.f, 2.f})).numpy().to_string(), "[0. 2.]");
  const Activation square = [](const Tensor& x) { return x * x; };
  EXPECT_EQ(square(constant(Array::from({3.f}))).numpy().to_string(), "[9.]");
}

}  // namespace
}  // namespace systolic::activations
