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

TEST(PoolingContract, OneAxisAndThree) {
  contracts::check_layer({.make =
                              [](DTypePolicy dtype) {
                                return MaxPooling1D(
                                    3, {.strides = 2,
                                        .padding = "same",
                                        .data_format = "channels_first",
                                        .dtype = dtype});
                              },
                          .input_shape = {3, 7},
                          .output_shape = {3, 4}});
  contracts::check_layer(
      {.make =
           [](DTypePolicy dtype) {
             return AveragePooling3D({1, 2, 3}, {.dtype = dtype});
           },
       .input_shape = {2, 5, 6, 3},
       .output_shape = {2, 2, 2, 3}});
}

Extent3D extent3d(const golden::Value& o, std::string_view key) {
  const std::vector<int64_t> sizes = o.get(key, std::vector<int64_t>{});
  if (sizes.empty()) return {};
  return sizes.size() == 1 ? Extent3D(sizes[0])
                           : Extent3D(sizes[0], sizes[1], sizes[2]);
}

TEST(PoolingGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_pooling", [](const golden::Value& o) -> Layer {
        const std::string name = o.at("class_name").text();
        if (name.ends_with("1D")) {
          Pooling1DOptions options{.pool_size = o.at("pool_size").integer(),
                                   .padding = o.get("padding", "valid"),
                                   .dtype = dtype(o)};
          if (o.has("strides")) options.strides = o.at("strides").integer();
          if (name == "MaxPooling1D") return MaxPooling1D(options);
          return AveragePooling1D(options);
        }
        const Pooling3DOptions options{.pool_size = extent3d(o, "pool_size"),
                                       .strides = extent3d(o, "strides"),
                                       .padding = o.get("padding", "valid"),
                                       .dtype = dtype(o)};
        if (name == "MaxPooling3D") return MaxPooling3D(options);
        return AveragePooling3D(options);
      });
}

TEST(Pooling, MistakesAreNamed) {
  EXPECT_TRUE(text_of<ValueError>([] { MaxPooling1D(0); })
                  .starts_with("MaxPooling1D: expected pool_size > 0 along "
                               "steps, got (0,)"));
  EXPECT_TRUE(
      text_of<ValueError>([] {
        AveragePooling3D(2, {.strides = {1, 0, 1}});
      })
          .starts_with("AveragePooling3D: expected strides > 0 along sizes, "
                       "got (1, 0, 1)"));
  EXPECT_TRUE(text_of<ShapeError>([] {
                MaxPooling1D(4, {.name = "pool"})(zeros({1, 3, 2}));
              })
                  .starts_with("MaxPooling1D \"pool\": expected an input no "
                               "smaller than the pool (4,), got steps (3,)"));
}

}  // namespace
}  // namespace systolic::layers
