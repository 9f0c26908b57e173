// Layers and ops on symbolic Tensors: what functional models are made of.
#include <gtest/gtest.h>

#include "systolic/base/auto_name.h"
#include "systolic/graph/node.h"
#include "systolic/graph/symbolic.h"
#include "systolic/layers/layer_call.h"
#include "systolic/layers/layers.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"

namespace systolic {
namespace {

using internal::text_of;
using layers::CallContext;

// Two inputs, two results.
struct SumAndDifference : layers::LayerBase {
  std::vector<Tensor> call_all(std::vector<Tensor> inputs,
                               CallContext) override {
    return {inputs[0] + inputs[1], inputs[0] - inputs[1]};
  }
};

TEST(Symbolic, InputsHaveAShapeAndNoValue) {
  const Tensor x = layers::Input({28, 28, 1}, {.name = "image"});
  EXPECT_EQ(x.shape().to_string(), "(None, 28, 28, 1)");
  EXPECT_EQ(x.to_string(),
            "Tensor(symbolic, shape=(None, 28, 28, 1), dtype=float32)");
  const Tensor flat = layers::Flatten()(x);
  EXPECT_EQ(flat.shape().to_string(), "(None, 784)");
  const Tensor y = layers::Dense(10)(flat * 2.f);
  EXPECT_EQ(y.spec().to_string(), "float32[None, 10]");
  const std::string text = text_of<ValueError>([&] { y.numpy(); });
  EXPECT_EQ(text.substr(0, text.find("\n  at:")),
            "Tensor.numpy: the Tensor is symbolic: it has a shape but no "
            "value\n"
            "  tensor: float32[None, 10]\n"
            "  hint: call the model with data to get values");
}

TEST(Symbolic, LayersAreBuiltAndNoteTheirCalls) {
  const layers::Dense dense(4, {.name = "wide"});
  const Tensor x = layers::Input({3});
  const Tensor y = dense(x);
  EXPECT_TRUE(dense.built());
  EXPECT_EQ(dense.kernel().shape(), Shape({3, 4}));
  EXPECT_EQ(dense.kernel().path(), "wide/kernel");
  EXPECT_EQ(dense.output().ref(), y.ref());
  EXPECT_EQ(dense.input().ref(), x.ref());
  const auto* call = internal::layer_call_of(*y.ref().node);
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->layer, layers::Layer(dense));
  EXPECT_FALSE(call->training.has_value());
  const Tensor fixed = dense(x, {.training = false});
  EXPECT_EQ(internal::layer_call_of(*fixed.ref().node)->training, false);
}

TEST(Symbolic, LayersOfSeveralInputsAndResults) {
  const layers::Layer both = layers::make<SumAndDifference>();
  const Tensor a = layers::Input({3});
  const Tensor b = layers::Input({3});
  const auto results = both.call_all({a, b});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].shape().to_string(), "(None, 3)");
  const auto values = both.call_all({constant({{3.0}}), constant({{1.0}})});
  EXPECT_EQ(values[0].item<float>(), 4);
  EXPECT_EQ(values[1].item<float>(), 2);
}

TEST(Symbolic, MistakesAreFoundWhereTheyAreWritten) {
  const layers::Dense dense(4, {.name = "d"});
  dense(layers::Input({3}));
  const std::string text =
      text_of<ShapeError>([&] { dense(layers::Input({5})); });
  EXPECT_EQ(text.substr(0, text.find("\n  built for")),
            "Dense \"d\": expected axis -1 of input shape to have value 3, "
            "got 5\n  input: float32[None, 5]");
  EXPECT_EQ(
      text_of<ValueError>([] { layers::Layer l(zeros({2})); }).substr(0, 54),
      "Layer: expected a layer, or what layers::Input gave, g");
}

TEST(Symbolic, OperationsAreRecordedAgainForOtherSizes) {
  const Tensor x = layers::Input({4});
  const Tensor y = reshape(x, {x.shape()[0], 2, 2});
  const Tensor m = mean(x, {.axis = 0});
  const internal::graph::Sizes sizes({{internal::kStandInBatch, 3}});
  const Tensor data = ones({3, 4});
  const auto again =
      internal::graph::record_again(*y.ref().node, {data.ref()}, sizes);
  EXPECT_EQ(again[0].shape(), Shape({3, 2, 2}));
  // The mean's number of rows is a scalar of the program.
  const auto& divide = *m.ref().node;
  const auto total = internal::graph::record_again(*divide.inputs[0].node,
                                                   {data.ref()}, sizes);
  const Tensor count =
      internal::graph::literal_again(Tensor(divide.inputs[1]), sizes);
  EXPECT_EQ(count.item<float>(), 3);
  EXPECT_EQ((total[0] / count).numpy().to_string(), "[1. 1. 1. 1.]");
}

}  // namespace
}  // namespace systolic
