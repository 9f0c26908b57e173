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

TEST(RowNormalizationContract, AllLayers) {
  contracts::check_layer(
      {.make =
           [](DTypePolicy dtype) {
             return LayerNormalization({.axis = {1, 2}, .dtype = dtype});
           },
       .input_shape = {3, 4},
       .output_shape = {3, 4},
       .weights = {{"gamma", {3, 4}}, {"beta", {3, 4}}}});
  contracts::check_layer(
      {.make =
           [](DTypePolicy dtype) { return RMSNormalization({.dtype = dtype}); },
       .input_shape = {3, 4},
       .output_shape = {3, 4},
       .weights = {{"scale", {4}}}});
  contracts::check_layer({.make =
                              [](DTypePolicy dtype) {
                                return GroupNormalization(
                                    {.groups = 2, .dtype = dtype});
                              },
                          .input_shape = {3, 4},
                          .output_shape = {3, 4},
                          .weights = {{"gamma", {4}}, {"beta", {4}}}});
}

TEST(RowNormalizationGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_row_normalization",
      [](const golden::Value& o) {
        const std::string name = o.at("class_name").text();
        if (name == "LayerNormalization") {
          return Layer(LayerNormalization({.axis = axes(o, "axis", {-1}),
                                           .epsilon = o.get("epsilon", 1e-3),
                                           .center = o.get("center", true),
                                           .scale = o.get("scale", true),
                                           .dtype = dtype(o)}));
        }
        if (name == "RMSNormalization") {
          return Layer(RMSNormalization({.epsilon = o.get("epsilon", 1e-6)}));
        }
        return Layer(
            GroupNormalization({.groups = o.get("groups", 32),
                                .axis = static_cast<int>(o.get("axis", -1))}));
      },
      {.output = {1e-5, 1e-5}, .gradients = {1e-5, 1e-5}});
}

TEST(RowNormalization, MistakesAreNamed) {
  EXPECT_TRUE(text_of<ValueError>([] { LayerNormalization({.epsilon = -1}); })
                  .starts_with("LayerNormalization: expected epsilon >= 0, got "
                               "-1"));
  EXPECT_TRUE(text_of<ShapeError>([] {
                GroupNormalization({.groups = 4, .name = "g"})(zeros({2, 6}));
              })
                  .starts_with("GroupNormalization \"g\": expected a number of "
                               "channels that groups = 4 divide, got 6 "
                               "channels\n"));
  EXPECT_THROW(LayerNormalization({.axis = 3})(zeros({2, 6})), OutOfRangeError);
}

}  // namespace
}  // namespace systolic::layers
