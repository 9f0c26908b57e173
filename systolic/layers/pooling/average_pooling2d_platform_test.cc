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

TEST(AveragePooling2DContract, Plain) {
  contracts::check_layer(
      {.make =
           [](DTypePolicy dtype) {
             return AveragePooling2D(
                 3, {.strides = 2, .padding = "same", .dtype = dtype});
           },
       .input_shape = {6, 8, 3},
       .output_shape = {3, 4, 3}});
}

TEST(AveragePooling2DContract, ChannelsFirst) {
  contracts::check_layer(
      {.make =
           [](DTypePolicy dtype) {
             return AveragePooling2D(
                 {.data_format = "channels_first", .dtype = dtype});
           },
       .input_shape = {3, 7, 6},
       .output_shape = {3, 3, 3}});
}

TEST(AveragePooling2DGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_average_pooling2d", [](const golden::Value& o) {
        return AveragePooling2D({.pool_size = extent(o, "pool_size", {2}),
                                 .strides = extent(o, "strides"),
                                 .padding = o.get("padding", "valid"),
                                 .dtype = dtype(o)});
      });
}

TEST(AveragePooling2D, AnImageSmallerThanThePoolIsAnError) {
  EXPECT_TRUE(
      text_of<ShapeError>([] {
        AveragePooling2D(4, {.name = "pool"})(zeros({1, 3, 8, 1}));
      })
          .starts_with("AveragePooling2D \"pool\": expected an image no "
                       "smaller than the pool (4, 4), got height and "
                       "width (3, 8)\n"));
}

}  // namespace
}  // namespace systolic::layers
