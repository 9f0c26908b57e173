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

TEST(SeparableConvContract, ChannelsFirst) {
  contracts::check_layer({.make =
                              [](DTypePolicy dtype) {
                                return SeparableConv2D(
                                    5, {3, 2},
                                    {.data_format = "channels_first",
                                     .depth_multiplier = 2,
                                     .dtype = dtype});
                              },
                          .input_shape = {3, 6, 5},
                          .output_shape = {5, 4, 4},
                          .weights = {{"depthwise_kernel", {3, 2, 3, 2}},
                                      {"pointwise_kernel", {1, 1, 6, 5}},
                                      {"bias", {5}}}});
}

template <class Options, class Sizes>
Options options_of(const golden::Value& o, Sizes strides, Sizes dilation) {
  return {.strides = strides,
          .padding = o.get("padding", "valid"),
          .dilation_rate = dilation,
          .depth_multiplier = o.get("depth_multiplier", 1),
          .activation = o.get("activation", "linear"),
          .use_bias = o.get("use_bias", true),
          .dtype = dtype(o)};
}

TEST(SeparableConvGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_separable_conv", [](const golden::Value& o) -> Layer {
        const int64_t filters = o.at("filters").integer();
        if (o.at("class_name").text() == "SeparableConv1D") {
          return SeparableConv1D(
              filters, o.at("kernel_size").integer(),
              options_of<SeparableConv1DOptions>(o, o.get("strides", 1),
                                                 o.get("dilation_rate", 1)));
        }
        return SeparableConv2D(
            filters, extent(o, "kernel_size"),
            options_of<SeparableConv2DOptions>(
                o, extent(o, "strides", {1}), extent(o, "dilation_rate", {1})));
      });
}

TEST(SeparableConv, MistakesAreNamed) {
  EXPECT_TRUE(text_of<ValueError>(
                  [] { SeparableConv1D(4, 3, {.depth_multiplier = 0}); })
                  .starts_with("SeparableConv1D: expected depth_multiplier > "
                               "0, got 0"));
  EXPECT_TRUE(text_of<ValueError>([] {
                SeparableConv2D(4, 3, {.strides = 2, .dilation_rate = 2});
              })
                  .starts_with("SeparableConv2D: expected strides or "
                               "dilation_rate of 1, got strides (2, 2) and "
                               "dilation_rate (2, 2)"));
  EXPECT_TRUE(text_of<ShapeError>([] {
                SeparableConv1D(4, 5, {.name = "c"})(zeros({1, 4, 2}));
              })
                  .starts_with("SeparableConv1D \"c\": expected an input no "
                               "smaller than the kernel (5,), got (1, 4, 2)"));
}

}  // namespace
}  // namespace systolic::layers
