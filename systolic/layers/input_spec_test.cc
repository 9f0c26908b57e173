#include "systolic/layers/input_spec.h"

#include <gtest/gtest.h>

namespace systolic::layers {
namespace {

std::string complaint(const InputSpec& spec, const Shape& shape) {
  try {
    check_input(spec, shape, "Dense \"logits\"",
                TensorSpec{DType::float32, shape}.to_string(),
                SourceLocation::current());
  } catch (const ShapeError& e) {
    const std::string text = e.what();
    return text.substr(0, text.find("\n  at: input_spec_test.cc:"));
  }
  return {};
}

TEST(InputSpec, AsksForARank) {
  EXPECT_EQ(complaint({.rank = 4, .hint = "add an axis"}, {2, 3}),
            "Dense \"logits\": expected input rank 4, got rank 2\n"
            "  input: float32[2, 3]\n"
            "  hint: add an axis");
  EXPECT_EQ(complaint({.min_rank = 2}, {32}),
            "Dense \"logits\": expected input rank >= 2, got rank 1\n"
            "  input: float32[32]");
  EXPECT_EQ(complaint({.max_rank = 1}, {3, 2}),
            "Dense \"logits\": expected input rank <= 1, got rank 2\n"
            "  input: float32[3, 2]");
  EXPECT_EQ(complaint({.rank = 2, .min_rank = 2, .max_rank = 3}, {3, 2}), "");
}

TEST(InputSpec, AsksForSizesOfAxes) {
  const InputSpec spec{.axes = {{-1, 784}}, .built_for = {32, 784}};
  EXPECT_EQ(complaint(spec, {8, 784}), "");
  EXPECT_EQ(complaint(spec, {8, 5, 784}), "");
  EXPECT_EQ(complaint(spec, {8, 100}),
            "Dense \"logits\": expected axis -1 of input shape to have value "
            "784, got 100\n"
            "  input: float32[8, 100]\n"
            "  built for: (32, 784)\n"
            "  hint: a layer keeps the shape that it was first called with: "
            "make another layer for other inputs");
  EXPECT_EQ(complaint({.axes = {{1, 3}}}, {8}),
            "Dense \"logits\": expected axis 1 of input shape to have value "
            "3, got no such axis\n"
            "  input: float32[8]");
}

TEST(InputSpec, UnknownSizesFit) {
  EXPECT_NO_THROW(check_input({.axes = {{-1, 784}}}, {-1, -1}, "Dense",
                              "(None, None)", SourceLocation::current()));
  EXPECT_EQ(complaint({.axes = {{-1, -1}}}, {8, 3}), "");
}

}  // namespace
}  // namespace systolic::layers
