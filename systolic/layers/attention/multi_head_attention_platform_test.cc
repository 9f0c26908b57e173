#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/layers/layers.h"
#include "systolic/layers/test_options.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/layer_contract.h"

namespace systolic::layers {
namespace {

using internal::text_of;

TEST(MultiHeadAttentionGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_multi_head_attention",
      [](const golden::Value& o) {
        MultiHeadAttentionOptions options{
            .value_dim = o.get("value_dim", 0),
            .use_bias = o.get("use_bias", true),
            .output_shape = o.get("output_shape", 0),
            .use_gate = o.get("use_gate", false),
            .dtype = dtype(o)};
        if (o.has("attention_axes")) {
          options.attention_axes = axes(o, "attention_axes", {});
        }
        if (o.has("sliding_window")) {
          options.sliding_window = o.at("sliding_window").integer();
        }
        return MultiHeadAttention(o.at("num_heads").integer(),
                                  o.at("key_dim").integer(), options);
      },
      {.output = {1e-5, 1e-5},
       .gradients = {1e-4, 1e-4},
       .call = [](const Layer& layer, const std::vector<Tensor>& inputs,
                  const golden::Case& c) {
         AttentionCall call;
         if (inputs.size() > 2) call.key = inputs[2];
         if (c.has_array("mask"))
           call.attention_mask = constant(c.array("mask"));
         call.use_causal_mask =
             c.options().at("call").get("use_causal_mask", false);
         return static_cast<const MultiHeadAttention&>(layer)(inputs[0],
                                                              inputs[1], call);
       }});
}

TEST(MultiHeadAttention, WeightsHaveKerasPaths) {
  const MultiHeadAttention mha(2, 3, {.name = "mha"});
  const Tensor x = zeros({2, 4, 6});
  mha(x, x);
  std::vector<std::string> paths;
  for (const Variable& weight : mha.weights()) paths.push_back(weight.path());
  EXPECT_EQ(paths,
            (std::vector<std::string>{
                "mha/query/kernel", "mha/query/bias", "mha/key/kernel",
                "mha/key/bias", "mha/value/kernel", "mha/value/bias",
                "mha/attention_output/kernel", "mha/attention_output/bias"}));
  EXPECT_EQ(mha.weights()[0].shape(), (Shape{6, 2, 3}));
  EXPECT_EQ(mha.weights()[6].shape(), (Shape{2, 3, 6}));
}

TEST(MultiHeadAttention, DropoutIsOnInTraining) {
  const MultiHeadAttention mha(2, 3, {.dropout = 0.5, .seed = 3});
  const Tensor x = constant(Array::ones({2, 4, 6}));
  const Array plain = mha(x, x).numpy();
  EXPECT_TRUE(array_equal(plain, mha(x, x).numpy()));
  EXPECT_FALSE(array_equal(plain, mha(x, x, {.training = true}).numpy()));
}

TEST(MultiHeadAttention, ScoresSumToOneAndMaskedOnesAreZero) {
  const MultiHeadAttention mha(2, 3);
  const Tensor x = random::normal({2, 4, 6});
  const auto [y, scores] = mha.with_scores(x, x, {.use_causal_mask = true});
  EXPECT_EQ(y.shape(), (Shape{2, 4, 6}));
  EXPECT_EQ(scores.shape(), (Shape{2, 2, 4, 4}));
  EXPECT_TRUE(
      allclose(sum(scores, {.axis = -1}).numpy(), Array::ones({2, 2, 4})));
  EXPECT_EQ((scores[{0, 0, 0, 3}].item<float>()), 0.f);
}

// C116: a row that may look at nothing is finite in every dtype.
TEST(MultiHeadAttention, AFullyMaskedRowIsFinite) {
  for (const char* policy : {"float32", "mixed_bfloat16", "mixed_float16"}) {
    const MultiHeadAttention mha(2, 3, {.dtype = policy});
    const Tensor x = random::normal({2, 4, 6});
    const Tensor none = constant(Array::zeros({2, 4, 4}, DType::boolean));
    const Tensor y = mha(x, x, {.attention_mask = none});
    const Tensor finite = reduce_all(isfinite(y));
    EXPECT_TRUE(finite.item<bool>()) << policy;
  }
}

TEST(MultiHeadAttention, MistakesAreNamed) {
  EXPECT_TRUE(
      text_of<ValueError>([] { MultiHeadAttention(0, 3); })
          .starts_with("MultiHeadAttention: expected num_heads > 0, got "
                       "0"));
  EXPECT_TRUE(
      text_of<ValueError>([] { MultiHeadAttention(1, 3, {.dropout = 2}); })
          .starts_with("MultiHeadAttention: expected 0 <= dropout <= 1, "
                       "got 2"));
  EXPECT_TRUE(text_of<ValueError>([&] {
                MultiHeadAttention(1, 2, {.attention_axes = {0}, .name = "m"})(
                    zeros({2, 4, 6}), zeros({2, 4, 6}));
              })
                  .starts_with("MultiHeadAttention \"m\": expected "
                               "attention_axes between the batch and the "
                               "features of rank 3, got 0"));
  const MultiHeadAttention mha(2, 3, {.name = "mha"});
  const Tensor x = zeros({2, 4, 6});
  EXPECT_TRUE(
      text_of<ValueError>([&] { mha(x); })
          .starts_with("MultiHeadAttention \"mha\": expected a query and a "
                       "value, got one input\n  hint: for self-attention give "
                       "the same Tensor twice: mha(x, x)"));
  EXPECT_TRUE(
      text_of<ShapeError>([&] {
        mha(x, zeros({2, 4}));
      })
          .starts_with("MultiHeadAttention \"mha\": expected a value of "
                       "rank 3, (batch, positions, features), got rank "
                       "2\n"));
  EXPECT_TRUE(text_of<ShapeError>([&] {
                mha(x, x, {.attention_mask = ones({2, 4, 3})});
              })
                  .starts_with("MultiHeadAttention \"mha\": expected an "
                               "attention_mask of shape (batch, 4, 4), got (2, "
                               "4, 3)\n"));
}

}  // namespace
}  // namespace systolic::layers
