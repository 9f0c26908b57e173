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

Layer make(const golden::Value& o) {
  if (o.at("class_name").text() == "AdditiveAttention") {
    return AdditiveAttention({.use_scale = o.get("use_scale", true)});
  }
  return Attention({.use_scale = o.get("use_scale", false),
                    .score_mode = o.get("score_mode", "dot")});
}

TEST(AttentionGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_attention", make,
      {.gradients = {1e-4, 1e-5},
       .call = [](const Layer& layer, const std::vector<Tensor>& inputs,
                  const golden::Case& c) {
         const SequenceAttentionCall call{
             .use_causal_mask =
                 c.options().at("call").get("use_causal_mask", false)};
         return static_cast<const Attention&>(layer)(inputs, call);
       }});
}

TEST(GroupQueryAttentionGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_group_query_attention",
      [](const golden::Value& o) {
        return GroupQueryAttention(
            o.at("head_dim").integer(), o.at("num_query_heads").integer(),
            {.num_key_value_heads = o.at("num_key_value_heads").integer(),
             .use_bias = o.get("use_bias", true)});
      },
      {.output = {1e-5, 1e-5},
       .gradients = {1e-4, 1e-4},
       .call = [](const Layer& layer, const std::vector<Tensor>& inputs,
                  const golden::Case& c) {
         const AttentionCall call{.use_causal_mask = c.options().at("call").get(
                                      "use_causal_mask", false)};
         return static_cast<const GroupQueryAttention&>(layer)(inputs[0],
                                                               inputs[1], call);
       }});
}

TEST(Attention, ScoresAreWeights) {
  const Tensor x = random::normal({2, 4, 3});
  const auto [y, scores] =
      Attention().with_scores({x, x}, {.use_causal_mask = true});
  EXPECT_EQ(scores.shape(), (Shape{2, 4, 4}));
  EXPECT_TRUE(allclose(sum(scores, {.axis = -1}).numpy(), Array::ones({2, 4})));
  EXPECT_EQ((scores[{0, 0, 1}].item<float>()), 0.f);
}

TEST(Attention, DropoutIsOnInTraining) {
  const Attention attention({.dropout = 0.5, .seed = 3});
  const Tensor x = constant(Array::ones({2, 4, 6}));
  const Array plain = attention({x, x}).numpy();
  EXPECT_TRUE(array_equal(plain, attention({x, x}).numpy()));
  const Tensor dropped = attention({x, x}, {.training = true});
  EXPECT_FALSE(array_equal(plain, dropped.numpy()));
}

TEST(Attention, MistakesAreNamed) {
  EXPECT_TRUE(text_of<ValueError>([] { Attention({.score_mode = "cos"}); })
                  .starts_with("Attention: expected score_mode 'dot' or "
                               "'concat', got 'cos'"));
  EXPECT_TRUE(text_of<ValueError>([] { AdditiveAttention({.dropout = 2}); })
                  .starts_with("AdditiveAttention: expected 0 <= dropout <= 1, "
                               "got 2"));
  const Attention attention({.name = "a"});
  EXPECT_TRUE(text_of<ValueError>([&] {
                attention({zeros({2, 3, 4})});
              })
                  .starts_with("Attention \"a\": expected a query, a value and "
                               "perhaps a key, got 1 inputs"));
  EXPECT_TRUE(text_of<ShapeError>([&] {
                attention({zeros({2, 3}), zeros({2, 3})});
              })
                  .starts_with("Attention \"a\": expected inputs of rank 3, "
                               "(batch, steps, features), got rank 2"));
  EXPECT_TRUE(text_of<ValueError>(
                  [] { GroupQueryAttention(2, 3, {.num_key_value_heads = 2}); })
                  .starts_with("GroupQueryAttention: expected "
                               "num_key_value_heads > 0 that divide "
                               "num_query_heads = 3, got 2"));
}

}  // namespace
}  // namespace systolic::layers
