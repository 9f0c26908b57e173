#include <gtest/gtest.h>

#include "systolic/layers/reshaping/flatten.h"
#include "systolic/testing/layer_contract.h"

namespace systolic::layers {
namespace {

TEST(FlattenContract, Image) {
  contracts::check_layer(
      {.make = [](DTypePolicy dtype) { return Flatten({.dtype = dtype}); },
       .input_shape = {3, 4, 2},
       .output_shape = {24}});
}

TEST(FlattenGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_flatten", [](const golden::Value& options) {
        return Flatten(
            {.data_format = options.get("data_format", "channels_last"),
             .dtype = options.get("dtype", "float32")});
      });
}

}  // namespace
}  // namespace systolic::layers
