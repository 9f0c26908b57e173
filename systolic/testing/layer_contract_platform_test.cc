#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "systolic/layers/layers.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/layer_contract.h"

namespace systolic::contracts {
namespace {

// The contract's complaints about a case, one text.
std::string complaints(const LayerCase& layer_case) {
  ::testing::TestPartResultArray results;
  {
    ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::
            INTERCEPT_ONLY_CURRENT_THREAD,
        &results);
    check_layer(layer_case);
  }
  std::string text;
  for (int i = 0; i < results.size(); ++i) {
    text += results.GetTestPartResult(i).message();
    text += '\n';
  }
  return text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

LayerCase dense_case() {
  return {.make =
              [](layers::DTypePolicy dtype) {
                return layers::Dense(4, {.dtype = dtype});
              },
          .input_shape = {3},
          .output_shape = {4},
          .weights = {{"kernel", {3, 4}}, {"bias", {4}}},
          .policies = {"float32"}};
}

TEST(LayerContract, AGoodLayerPasses) {
  EXPECT_EQ(complaints(dense_case()), "");
}

TEST(LayerContract, SeesWrongWeightsAndShapes) {
  LayerCase wrong = dense_case();
  wrong.weights[0].name = "weights";
  EXPECT_TRUE(has(complaints(wrong), "weights"));
  wrong = dense_case();
  wrong.weights.pop_back();
  EXPECT_TRUE(has(complaints(wrong), "weights.size()"));
  wrong = dense_case();
  wrong.weights[1].trainable = false;
  EXPECT_TRUE(has(complaints(wrong), "trainable"));
  wrong = dense_case();
  wrong.output_shape = {5};
  EXPECT_TRUE(has(complaints(wrong), "(8, 5)"));
  wrong = dense_case();
  wrong.random_in_training = true;
  EXPECT_TRUE(has(complaints(wrong), "training changes nothing"));
}

// A layer that makes one mistake, chosen by its number.
struct Faulty : layers::LayerBase {
  Faulty(int fault, layers::DTypePolicy dtype)
      : LayerBase({.dtype = dtype}), fault_(fault) {}
  void build(const Shape& input_shape) override {
    weight_ = add_weight({.name = "weight", .shape = {input_shape[-1]}});
  }
  Tensor call(Tensor x, layers::CallContext context) override {
    const Tensor weight = value(weight_);
    if (fault_ == 1) return x * stop_gradient(weight);
    if (fault_ == 2) return stop_gradient(x) * weight;
    if (fault_ == 3) return cast(x * weight, DType::float64);
    if (fault_ == 4 && context.training) return x * weight * 2;
    if (fault_ == 5) return x * weight / 0;
    return x * weight;
  }
  Shape compute_output_shape(const Shape& input_shape) const override {
    return fault_ == 6 ? Shape{input_shape[0], 7} : input_shape;
  }
  int fault_;
  Variable weight_;
};

std::string complaints(int fault) {
  return complaints({.make =
                         [fault](layers::DTypePolicy dtype) {
                           return layers::make<Faulty>(fault, dtype);
                         },
                     .input_shape = {3},
                     .output_shape = {3},
                     .weights = {{"weight", {3}}},
                     .policies = {"float32"}});
}

TEST(LayerContract, SeesEachMistake) {
  EXPECT_EQ(complaints(0), "");
  EXPECT_TRUE(has(complaints(1), "no gradient to faulty")) << complaints(1);
  EXPECT_TRUE(has(complaints(2), "no gradient to input")) << complaints(2);
  EXPECT_TRUE(has(complaints(3), "float64")) << complaints(3);
  EXPECT_TRUE(has(complaints(4), "training changes the result"));
  EXPECT_TRUE(has(complaints(5), "all_finite")) << complaints(5);
  EXPECT_TRUE(has(complaints(6), "compute_output_shape")) << complaints(6);
}

}  // namespace
}  // namespace systolic::contracts
