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

TEST(GlobalPoolingContract, AllLayers) {
  contracts::check_layer({.make =
                              [](DTypePolicy dtype) {
                                return GlobalAveragePooling1D({.dtype = dtype});
                              },
                          .input_shape = {5, 3},
                          .output_shape = {3}});
  contracts::check_layer({.make =
                              [](DTypePolicy dtype) {
                                return GlobalMaxPooling2D(
                                    {.data_format = "channels_first",
                                     .keepdims = true,
                                     .dtype = dtype});
                              },
                          .input_shape = {3, 4, 5},
                          .output_shape = {3, 1, 1}});
}

TEST(GlobalPoolingGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_global_pooling", [](const golden::Value& o) {
        const std::string name = o.at("class_name").text();
        const GlobalPoolingOptions options{
            .data_format = o.get("data_format", "channels_last"),
            .keepdims = o.get("keepdims", false),
            .dtype = dtype(o)};
        if (name == "GlobalAveragePooling1D") {
          return Layer(GlobalAveragePooling1D(options));
        }
        if (name == "GlobalAveragePooling2D") {
          return Layer(GlobalAveragePooling2D(options));
        }
        if (name == "GlobalMaxPooling1D") {
          return Layer(GlobalMaxPooling1D(options));
        }
        if (name == "GlobalAveragePooling3D") {
          return Layer(GlobalAveragePooling3D(options));
        }
        if (name == "GlobalMaxPooling3D") {
          return Layer(GlobalMaxPooling3D(options));
        }
        return Layer(GlobalMaxPooling2D(options));
      });
}

}  // namespace
}  // namespace systolic::layers
