#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/base/auto_name.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/layers.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/layer_contract.h"

namespace systolic {
namespace {

using layers::CallContext;
using layers::Dense;
using layers::Dropout;
using layers::Layer;
using layers::LayerBase;

template <class E, class F>
std::string thrown(F&& f) {
  try {
    f();
  } catch (const E& e) {
    const std::string text = e.what();
    return text.substr(0, text.find("\n  at: layer_base_platform_test.cc:"));
  }
  return {};
}

// A user's layer, as a user writes it.
struct Residual : LayerBase {
  explicit Residual(int64_t units)
      : dense_(track("dense", Dense(units, {.name = "inner"}))) {}
  Tensor call(Tensor x, CallContext context) override {
    return x + dense_(x, context);
  }
  Layer dense_;
};

// A layer with weights of its own and all that goes with them.
struct Scale : LayerBase {
  explicit Scale(layers::DTypePolicy dtype = {})
      : LayerBase({.dtype = dtype}) {}
  void build(const Shape& input_shape) override {
    count_ = add_weight(
        {.name = "count", .dtype = DType::int32, .trainable = false});
    factor_ = add_weight({.name = "factor",
                          .shape = {input_shape[-1]},
                          .initializer = "ones",
                          .regularizer = regularizers::L2(0.5)});
  }
  Tensor call(Tensor x, CallContext context) override {
    if (context.training) count_.assign_add(1);
    return x * value(factor_);
  }
  Variable count_;
  Variable factor_;
};

TEST(LayerBase, AUsersLayerKeepsTheContract) {
  contracts::check_layer(
      {.make =
           [](layers::DTypePolicy dtype) {
             struct Doubled : LayerBase {
               explicit Doubled(layers::DTypePolicy policy)
                   : LayerBase({.dtype = policy}) {}
               void build(const Shape& input_shape) override {
                 factor_ =
                     add_weight({.name = "factor", .shape = {input_shape[-1]}});
               }
               Tensor call(Tensor x, CallContext) override {
                 return concatenate({x, x * value(factor_)});
               }
               Variable factor_;
             };
             return layers::make<Doubled>(dtype);
           },
       .input_shape = {3},
       .output_shape = {6},
       .weights = {{"factor", {3}}}});
}

TEST(LayerBase, NamesComeFromTheClass) {
  clear_session();
  EXPECT_EQ(layers::make<Residual>(3).name(), "residual");
  const Layer second = layers::make<Residual>(3);
  EXPECT_EQ(second.name(), "residual_1");
  EXPECT_EQ(second.class_name(), "Residual");
}

TEST(LayerBase, PathsNestAndWeightsAreTheTrackedLayers) {
  clear_session();
  const Layer block = layers::make<Residual>(3);
  EXPECT_TRUE(block.weights().empty());
  block(zeros({2, 3}));
  ASSERT_EQ(block.weights().size(), 2u);
  EXPECT_EQ(block.weights()[0].path(), "residual/inner/kernel");
  EXPECT_EQ(block.weights()[1].path(), "residual/inner/bias");
  EXPECT_EQ(block.layers()[0].path(), "residual/inner");
  EXPECT_EQ(block.count_params(), 12);
  EXPECT_EQ(block.base().tracked()[0].first, "dense");
}

TEST(LayerBase, BuildMakesTheSubLayersToo) {
  const Layer block = layers::make<Residual>(3);
  block.build({-1, 3});
  EXPECT_TRUE(block.layers()[0].built());
  EXPECT_EQ(block.weights().size(), 2u);
  EXPECT_EQ(block.compute_output_shape({-1, 3}), (Shape{-1, 3}));
  EXPECT_EQ(block.compute_output_shape({-1, -1, 3}), (Shape{-1, -1, 3}));
}

TEST(LayerBase, InferringAShapeChangesNoState) {
  auto base = std::make_shared<Scale>();
  const Layer scale(base);
  EXPECT_EQ(scale.compute_output_shape({-1, 3}), (Shape{-1, 3}));
  EXPECT_EQ(base->count_.item<int>(), 0);
  scale(zeros({2, 3}), {.training = true});
  EXPECT_EQ(base->count_.item<int>(), 1);
}

TEST(LayerBase, TrainableWeightsComeFirst) {
  auto base = std::make_shared<Scale>("mixed_bfloat16");
  const Layer scale(base);
  scale.build({-1, 3});
  ASSERT_EQ(scale.weights().size(), 2u);
  EXPECT_EQ(scale.weights()[0].name(), "factor");
  EXPECT_EQ(scale.weights()[1].name(), "count");
  EXPECT_EQ(scale.weights()[0].dtype(), DType::float32);
  EXPECT_EQ(scale.weights()[1].dtype(), DType::int32);
  EXPECT_EQ(scale.trainable_weights().size(), 1u);
  EXPECT_EQ(scale.non_trainable_weights().size(), 1u);
  scale.set_trainable(false);
  EXPECT_EQ(scale.non_trainable_weights().size(), 2u);
  scale.set_trainable(true);
  EXPECT_FALSE(scale.weights()[1].trainable());
}

TEST(LayerBase, FreezingReachesSubLayers) {
  const Layer block = layers::make<Residual>(3);
  block.build({-1, 3});
  block.set_trainable(false);
  EXPECT_FALSE(block.layers()[0].trainable());
  EXPECT_FALSE(block.weights()[0].trainable());
  block.set_trainable(true);
  block.layers()[0].set_trainable(false);
  EXPECT_TRUE(block.trainable_weights().empty());
}

TEST(LayerBase, LossesAreRegularizersAndWhatCallsAdd) {
  const Layer scale = layers::make<Scale>();
  scale.build({-1, 3});
  ASSERT_EQ(scale.losses().size(), 1u);
  EXPECT_FLOAT_EQ(scale.losses()[0].item<float>(), 1.5f);
  scale.set_trainable(false);
  EXPECT_TRUE(scale.losses().empty());

  const Dense dense(2, {.kernel_initializer = "ones",
                        .activity_regularizer = regularizers::L1(1)});
  dense(ones({1, 3}));
  dense(ones({1, 3}));  // a new call forgets the last one's
  ASSERT_EQ(dense.losses().size(), 1u);
  EXPECT_FLOAT_EQ(dense.losses()[0].item<float>(), 6.f);
  dense.clear_losses();
  EXPECT_TRUE(dense.losses().empty());
}

TEST(LayerBase, AnUntrackedLayerInACallIsAnError) {
  struct Forgetful : LayerBase {
    Tensor call(Tensor x, CallContext) override { return dense_(x); }
    Dense dense_{3, {.name = "lost"}};
  };
  clear_session();
  const Layer layer = layers::make<Forgetful>();
  EXPECT_EQ(thrown<ValueError>([&] {
              layer(zeros({2, 3}));
            }),
            "Forgetful \"forgetful\": its call uses Dense \"lost\", which it "
            "does not track, so that its weights would be neither trained nor "
            "saved\n"
            "  hint: take it in where this layer is made: track(\"lost\", "
            "...)");
}

TEST(LayerBase, TheContextReachesInnerCalls) {
  struct Outer : LayerBase {
    Tensor call(Tensor x, CallContext) override { return drop_(x); }
    Dropout drop_ = track("drop", Dropout(1));
  };
  const Layer layer = layers::make<Outer>();
  const Array x = Array::ones({4});
  EXPECT_EQ(layer(x).numpy().to_string(), "[1. 1. 1. 1.]");
  EXPECT_EQ(layer(x, {.training = true}).numpy().to_string(), "[0. 0. 0. 0.]");
}

TEST(LayerBase, ErrorsNameTheLayersInBetween) {
  struct Outer : LayerBase {
    Tensor call(Tensor x, CallContext) override { return block_(x); }
    Layer block_ = track("block", layers::make<Residual>(3));
  };
  clear_session();
  const Layer outer = layers::make<Outer>();
  EXPECT_TRUE(thrown<ShapeError>([&] { outer(zeros({3})); })
                  .starts_with("Dense \"residual/inner\": expected input rank "
                               ">= 2, got rank 1\n  input: float32[3]"));
}

TEST(LayerBase, AFailedBuildCanBeTriedAgain) {
  struct Picky : LayerBase {
    void build(const Shape& input_shape) override {
      weight_ = add_weight({.name = "weight", .shape = {input_shape[-1]}});
      if (input_shape[-1] != 3) {
        error().expected("3").got(input_shape[-1]).raise<ShapeError>();
      }
    }
    Tensor call(Tensor x, CallContext) override { return x + weight_; }
    Variable weight_;
  };
  const Layer picky = layers::make<Picky>();
  EXPECT_THROW(picky(zeros({2, 4})), ShapeError);
  EXPECT_FALSE(picky.built());
  picky(zeros({2, 3}));
  EXPECT_EQ(picky.weights().size(), 1u);
}

TEST(LayerBase, SetWeightsChecksBeforeItChanges) {
  const Dense dense(2, {.name = "d"});
  EXPECT_EQ(thrown<ValueError>([&] { dense.set_weights({Array::ones({2})}); }),
            "Dense \"d\": expected 0 arrays, one for each weight, got 1\n"
            "  hint: build the layer first: build(input_shape)");
  dense.build({-1, 3});
  const Array before = dense.kernel().numpy();
  EXPECT_EQ(thrown<ValueError>([&] {
              dense.set_weights({Array::ones({3, 2}), Array::ones({3})});
            }),
            "Dense \"d\": expected a value of shape (2,) for d/bias, got (3,)\n"
            "  weight: float32[2]\n"
            "  value: float32[3]");
  EXPECT_TRUE(array_equal(dense.kernel().numpy(), before));
  dense.set_weights({Array::ones({3, 2}), Array::zeros({2})});
  EXPECT_EQ(dense(Array::ones({1, 3})).numpy().to_string(), "[[3. 3.]]");
}

TEST(LayerBase, CountParamsNeedsWeights) {
  EXPECT_EQ(thrown<ValueError>([] { Dense(2, {.name = "d"}).count_params(); }),
            "Dense \"d\": its weights can not be counted before they are made\n"
            "  hint: call the layer, or build(input_shape) it");
}

// Two inputs of different sizes, two results.
struct Both : LayerBase {
  void build_all(const std::vector<Shape>& input_shapes) override {
    dense_.build({-1, input_shapes[0][-1] + input_shapes[1][-1]});
  }
  std::vector<Tensor> call_all(std::vector<Tensor> inputs,
                               CallContext context) override {
    return {dense_(concatenate(inputs), context), inputs[1] * 2};
  }
  Layer dense_ = track("dense", Dense(4));
};

TEST(LayerBase, SeveralInputsAndResults) {
  clear_session();
  const Layer both = layers::make<Both>();
  const Tensor a = zeros({3, 2}), b = ones({3, 5});
  const std::vector<Tensor> results = both.call_all({a, b});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].shape(), (Shape{3, 4}));
  EXPECT_EQ(results[1].shape(), (Shape{3, 5}));
  EXPECT_EQ(both.weights()[0].path(), "both/dense/kernel");
  EXPECT_EQ(both.weights()[0].shape(), (Shape{7, 4}));
  const std::vector<Shape> shapes =
      both.compute_output_shapes({{-1, 2}, {-1, 5}});
  EXPECT_EQ(shapes, (std::vector<Shape>{{-1, 4}, {-1, 5}}));
  EXPECT_EQ(thrown<ValueError>([&] {
              both({a, b});
            }),
            "Both \"both\": expected a layer with one result, got 2 results\n"
            "  hint: call_all(inputs) returns all of them");
  EXPECT_EQ(thrown<ValueError>([&] {
              Dense(3, {.name = "d"})({a, b});
            }),
            "Dense \"d\": expected one input, got 2\n"
            "  hint: a layer of several inputs overrides call_all");
  EXPECT_EQ(thrown<ValueError>([&] { both.call_all({}); }),
            "Both \"both\": expected an input, got none");
  EXPECT_EQ(thrown<ValueError>([&] {
              both.call_all({a, Tensor()});
            }),
            "Both \"both\": expected defined inputs, got an undefined Tensor "
            "(Tensor()) as input 1");
}

TEST(LayerBase, ALayerWithoutACallIsAnError) {
  struct Nothing : LayerBase {};
  clear_session();
  EXPECT_EQ(thrown<ValueError>([] { layers::make<Nothing>()(zeros({2})); }),
            "Nothing \"nothing\": it has neither a call for one input nor a "
            "call_all for several\n"
            "  hint: override Tensor call(Tensor x, CallContext context)");
}

TEST(LayerBase, HandlesShareTheObject) {
  const Dense dense(2);
  const Layer copy = dense;
  copy.build({-1, 3});
  EXPECT_TRUE(dense.built());
  EXPECT_TRUE(copy == Layer(dense));
  EXPECT_FALSE(copy == Layer(Dense(2)));
  EXPECT_EQ(thrown<ValueError>([] { Layer()(1.f); }),
            "Layer: expected a layer, got an empty handle (Layer())\n"
            "  hint: assign one, such as layers::Dense(10)");
}

TEST(LayerBase, InputsAreConvertedToTheComputeDtype) {
  const Dense dense(2, {.dtype = "mixed_bfloat16"});
  EXPECT_EQ(dense(zeros({2, 3}, DType::float64)).dtype(), DType::bfloat16);
  EXPECT_EQ(dense.kernel().dtype(), DType::float32);
}

TEST(LayerBase, AWrongInitializerIsAnError) {
  const Dense dense(2, {.kernel_initializer = [](const Shape&, DType dtype) {
                      return zeros({1}, dtype);
                    }});
  EXPECT_THROW(dense.build({-1, 3}), ShapeError);
}

}  // namespace
}  // namespace systolic
