#include <gtest/gtest.h>

#include "systolic/layers/layers.h"
#include "systolic/testing/layer_contract.h"

namespace systolic::layers {
namespace {

Extent2D extent(const std::vector<int64_t>& sizes) {
  if (sizes.empty()) return {};
  return sizes.size() == 1 ? Extent2D(sizes[0]) : Extent2D(sizes[0], sizes[1]);
}

TEST(MaxPooling2DContract, Plain) {
  contracts::check_layer(
      {.make = [](DTypePolicy dtype) { return MaxPooling2D({.dtype = dtype}); },
       .input_shape = {6, 8, 3},
       .output_shape = {3, 4, 3}});
}

TEST(MaxPooling2DContract, OverlappingSameChannelsFirst) {
  contracts::check_layer({.make =
                              [](DTypePolicy dtype) {
                                return MaxPooling2D(
                                    3, {.strides = 2,
                                        .padding = "same",
                                        .data_format = "channels_first",
                                        .dtype = dtype});
                              },
                          .input_shape = {3, 7, 6},
                          .output_shape = {3, 4, 3}});
}

TEST(MaxPooling2DGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_max_pooling2d", [](const golden::Value& options) {
        const auto sizes = [&](const char* key, std::vector<int64_t> absent) {
          return extent(options.get(key, std::move(absent)));
        };
        return MaxPooling2D({.pool_size = sizes("pool_size", {2}),
                             .strides = sizes("strides", {}),
                             .padding = options.get("padding", "valid"),
                             .dtype = options.get("dtype", "float32")});
      });
}

}  // namespace
}  // namespace systolic::layers
