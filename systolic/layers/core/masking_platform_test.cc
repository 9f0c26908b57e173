// Masks: who makes them, who heeds them, who passes them on.
#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/base/log.h"
#include "systolic/layers/layers.h"
#include "systolic/layers/test_options.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/layer_contract.h"

namespace systolic::layers {
namespace {

using internal::text_of;

Layer make(const golden::Value& o) {
  const std::string name = o.at("class_name").text();
  if (name == "GlobalAveragePooling1D") {
    return GlobalAveragePooling1D({.keepdims = o.get("keepdims", false)});
  }
  if (name == "BatchNormalization") return BatchNormalization();
  if (name == "LayerNormalization") return LayerNormalization();
  if (name == "Dense") return Dense(o.at("units").integer());
  if (name == "MultiHeadAttention") {
    return MultiHeadAttention(o.at("num_heads").integer(),
                              o.at("key_dim").integer());
  }
  if (name == "Attention") return Attention();
  if (name == "AdditiveAttention") return AdditiveAttention();
  if (name == "Add") return Add();
  if (name == "Concatenate")
    return Concatenate({.axis = axes(o, "axis", {-1})[0]});
  EXPECT_EQ(name, "Flatten");
  return Flatten();
}

TEST(MaskingGolden, LayersDoWithMasksWhatKerasDoes) {
  contracts::check_golden_layers(
      "layers_masking", make,
      {.output = {1e-5, 1e-5},
       .gradients = {1e-4, 1e-4},
       .call = [](const Layer& layer, const std::vector<Tensor>& inputs,
                  const golden::Case& c) {
         for (size_t i = 0; i < inputs.size(); ++i) {
           const std::string name = "masks/" + std::to_string(i);
           if (c.has_array(name)) set_mask(inputs[i], constant(c.array(name)));
         }
         const Tensor y = layer.call_all(
             inputs, {.training = c.options().get("training", false)})[0];
         const Tensor mask = mask_of(y);
         EXPECT_EQ(mask.is_defined(), c.has_array("output_mask"));
         if (mask.is_defined() && c.has_array("output_mask")) {
           EXPECT_EQ(golden::difference(mask.numpy(), c.array("output_mask")),
                     "");
         }
         return y;
       }});
}

TEST(Masking, StepsOfOneValueDoNotCount) {
  const Tensor x =
      constant(Array::from({1.f, 2.f, 7.f, 7.f, 7.f, 0.f}, {1, 3, 2}));
  const Tensor y = Masking(7.0)(x);
  EXPECT_EQ(y.numpy().to_string(), "[[[1. 2.]\n  [0. 0.]\n  [7. 0.]]]");
  EXPECT_EQ(mask_of(y).numpy().to_string(), "[[ True False  True]]");
  contracts::check_layer(
      {.make = [](DTypePolicy dtype) { return Masking(0.0, {.dtype = dtype}); },
       .input_shape = {3, 2},
       .output_shape = {3, 2}});
}

TEST(Masking, EmbeddingMarksZeros) {
  const Tensor tokens = constant(Array::from({3, 0, 1, 0}, {2, 2}));
  const Embedding embedding(5, 3, {.mask_zero = true});
  const Tensor x = embedding(tokens);
  EXPECT_EQ(mask_of(x).numpy().to_string(), "[[ True False]\n [ True False]]");
  EXPECT_FALSE(mask_of(Embedding(5, 3)(tokens)).is_defined());
  EXPECT_TRUE(embedding.supports_masking());
  EXPECT_EQ(embedding.compute_mask(tokens).numpy().to_string(),
            "[[ True False]\n [ True False]]");
  // It stays with the value, also when that is looked at.
  x.numpy();
  EXPECT_TRUE(mask_of(Dense(2)(Dropout(0.5)(x))).is_defined());
  EXPECT_FALSE(mask_of(x + 1).is_defined()) << "ops drop it";
}

// A layer of one's own that asks for the mask, and makes another of it.
struct FirstStep : LayerBase {
  bool supports_masking() const override { return true; }
  Tensor call(Tensor x, CallContext context) override {
    return where(expand_dims(context.mask(), -1), x, -1)[{all, 0}];
  }
  Tensor compute_mask(const std::vector<Tensor>&,
                      const std::vector<Tensor>& masks) const override {
    return masks.empty() ? Tensor() : masks[0][{all, 0}];
  }
};

TEST(Masking, LayersOfOnesOwnSeeIt) {
  const Tensor x = ones({2, 2, 1});
  set_mask(x, constant(Array::from({true, true, false, true}, {2, 2})));
  const Tensor y = layers::make<FirstStep>()(x);
  EXPECT_EQ(y.numpy().to_string(), "[[ 1.]\n [-1.]]");
  EXPECT_EQ(mask_of(y).numpy().to_string(), "[ True False]");
}

TEST(Masking, ALayerThatDropsItSaysSoOnce) {
  const Conv1D layer(2, 1, {.name = "conv"});
  const Tensor x = ones({1, 2, 1});
  set_mask(x, constant(Array::from({true, false}, {1, 2})));
  std::vector<std::string> lines;
  set_log_sink(
      [&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  layer(x);
  layer(x);
  set_log_sink({});
  EXPECT_EQ(lines, std::vector<std::string>{
                       "Conv1D \"conv\": its input has a mask, but the layer "
                       "does not support masking and drops it: layers behind "
                       "it see none"});
}

TEST(Masking, MistakesAreNamed) {
  EXPECT_TRUE(
      text_of<TypeError>([] {
        set_mask(ones({2, 3}), ones({2}));
      }).starts_with("set_mask: expected a mask of bool, got float32[2]"));
  EXPECT_TRUE(text_of<ShapeError>([] {
                set_mask(ones({2, 3}), greater(ones({3}), 0));
              })
                  .starts_with("set_mask: expected a mask that has the value's "
                               "first axes, got (3,)"));
}

}  // namespace
}  // namespace systolic::layers
