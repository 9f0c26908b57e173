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

TEST(DepthwiseConv2DContract, Plain) {
  contracts::check_layer(
      {.make =
           [](DTypePolicy dtype) {
             return DepthwiseConv2D(
                 3, {.padding = "same", .depth_multiplier = 2, .dtype = dtype});
           },
       .input_shape = {4, 5, 3},
       .output_shape = {4, 5, 6},
       .weights = {{"kernel", {3, 3, 3, 2}}, {"bias", {6}}}});
}

TEST(DepthwiseConv2DGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_depthwise_conv2d", [](const golden::Value& o) {
        return DepthwiseConv2D(
            extent(o, "kernel_size"),
            {.strides = extent(o, "strides", {1}),
             .padding = o.get("padding", "valid"),
             .depth_multiplier = o.get("depth_multiplier", 1),
             .activation = o.get("activation", "linear"),
             .use_bias = o.get("use_bias", true)});
      });
}

TEST(DepthwiseConv2D, MistakesAreNamed) {
  EXPECT_TRUE(
      text_of<ValueError>([] { DepthwiseConv2D(3, {.depth_multiplier = 0}); })
          .starts_with("DepthwiseConv2D: expected depth_multiplier > 0, got "
                       "0"));
}

}  // namespace
}  // namespace systolic::layers
