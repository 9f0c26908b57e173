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

TEST(ReshapeContract, AllLayers) {
  contracts::check_layer({.make =
                              [](DTypePolicy dtype) {
                                return Reshape({-1, 3}, {.dtype = dtype});
                              },
                          .input_shape = {6, 4},
                          .output_shape = {8, 3}});
  contracts::check_layer({.make =
                              [](DTypePolicy dtype) {
                                return Permute({2, 1}, {.dtype = dtype});
                              },
                          .input_shape = {6, 4},
                          .output_shape = {4, 6}});
  contracts::check_layer(
      {.make =
           [](DTypePolicy dtype) { return RepeatVector(3, {.dtype = dtype}); },
       .input_shape = {4},
       .output_shape = {3, 4}});
}

TEST(ReshapeGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers("layers_reshape", [](const golden::Value& o) {
    const std::string name = o.at("class_name").text();
    if (name == "Reshape") {
      const std::vector<int64_t> target = o.at("target_shape").integers();
      return Layer(Reshape(Shape(std::span<const int64_t>(target))));
    }
    if (name == "Permute") return Layer(Permute(axes(o, "dims", {})));
    return Layer(RepeatVector(o.at("n").integer()));
  });
}

TEST(Reshape, UnknownSizesStayUnknown) {
  EXPECT_EQ(Reshape({-1, 2}).compute_output_shape({-1, -1, 4}),
            (Shape{-1, -1, 2}));
}

TEST(Reshape, MistakesAreNamed) {
  EXPECT_TRUE(text_of<ShapeError>([] {
                Reshape({5}, {.name = "r"})(zeros({2, 6}));
              })
                  .starts_with("Reshape \"r\": expected inputs with as many "
                               "elements as target_shape (5,), got 6 elements\n"
                               "  input: (2, 6)"));
  EXPECT_TRUE(text_of<ValueError>([] {
                Reshape({-1, -1});
              })
                  .starts_with("Reshape: expected at most one size of -1 in "
                               "target_shape"));
  EXPECT_TRUE(text_of<ValueError>([] {
                Permute({0, 1});
              })
                  .starts_with("Permute: expected dims with each of 1 ... 2 "
                               "once, got (0, 1)\n"
                               "  hint: axis 0, the batch, stays"));
  EXPECT_TRUE(text_of<ValueError>([] {
                RepeatVector(0);
              }).starts_with("RepeatVector: expected n > 0, got 0"));
}

}  // namespace
}  // namespace systolic::layers
