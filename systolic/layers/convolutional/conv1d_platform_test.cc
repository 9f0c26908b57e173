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

TEST(Conv1DContract, Causal) {
  contracts::check_layer(
      {.make =
           [](DTypePolicy dtype) {
             return Conv1D(4, 3, {.padding = "causal", .dtype = dtype});
           },
       .input_shape = {7, 2},
       .output_shape = {7, 4},
       .weights = {{"kernel", {3, 2, 4}}, {"bias", {4}}}});
}

TEST(Conv1DContract, ChannelsFirst) {
  contracts::check_layer({.make =
                              [](DTypePolicy dtype) {
                                return Conv1D(4, 3,
                                              {.strides = 2,
                                               .data_format = "channels_first",
                                               .use_bias = false,
                                               .dtype = dtype});
                              },
                          .input_shape = {2, 7},
                          .output_shape = {4, 3},
                          .weights = {{"kernel", {3, 2, 4}}}});
}

TEST(Conv1DGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers("layers_conv1d", [](const golden::Value& o) {
    return Conv1D(o.at("filters").integer(), o.at("kernel_size").integer(),
                  {.strides = o.get("strides", 1),
                   .padding = o.get("padding", "valid"),
                   .dilation_rate = o.get("dilation_rate", 1),
                   .groups = o.get("groups", 1),
                   .activation = o.get("activation", "linear"),
                   .use_bias = o.get("use_bias", true),
                   .dtype = dtype(o)});
  });
}

TEST(Conv1D, MistakesAreNamed) {
  EXPECT_TRUE(
      text_of<ShapeError>([] {
        Conv1D(4, 5, {.name = "c"})(zeros({2, 3, 2}));
      })
          .starts_with("Conv1D \"c\": expected an input with as many "
                       "steps as the kernel reaches over, got (2, 3, 2)\n"
                       "  kernel_size: 5\n"));
  EXPECT_TRUE(text_of<ShapeError>([] {
                Conv1D(4, 5, {.name = "c"})(zeros({2, 3}));
              })
                  .starts_with("Conv1D \"c\": expected input rank 3, got rank "
                               "2\n"));
  EXPECT_TRUE(text_of<ValueError>([] {
                Conv1D(0, 3);
              }).starts_with("Conv1D: expected filters > 0, got 0"));
  EXPECT_EQ(Conv1D(4, 3).compute_output_shape({-1, -1, 2}), (Shape{-1, -1, 4}));
}

}  // namespace
}  // namespace systolic::layers
