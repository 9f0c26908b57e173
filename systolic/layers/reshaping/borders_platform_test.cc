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

Border border(const golden::Value& value) {
  const std::vector<int64_t> sizes = value.integers();
  return sizes.size() == 1 ? Border(sizes[0]) : Border(sizes[0], sizes[1]);
}

Borders2D borders(const golden::Value& value) {
  return Borders2D(border(value.list()[0]), border(value.list()[1]));
}

Borders3D borders3d(const golden::Value& value) {
  return Borders3D(border(value.list()[0]), border(value.list()[1]),
                   border(value.list()[2]));
}

TEST(BordersContract, SomeLayers) {
  contracts::check_layer(
      {.make =
           [](DTypePolicy dtype) {
             return ZeroPadding2D({{1, 2}, {0, 3}}, {.dtype = dtype});
           },
       .input_shape = {4, 5, 2},
       .output_shape = {7, 8, 2}});
  contracts::check_layer({.make =
                              [](DTypePolicy dtype) {
                                return Cropping2D({1, 2}, {.dtype = dtype});
                              },
                          .input_shape = {4, 5, 2},
                          .output_shape = {2, 1, 2}});
  contracts::check_layer(
      {.make =
           [](DTypePolicy dtype) {
             return UpSampling2D(
                 {2, 3}, {.data_format = "channels_first", .dtype = dtype});
           },
       .input_shape = {2, 4, 5},
       .output_shape = {2, 8, 15}});
}

TEST(BordersGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers("layers_borders", [](const golden::Value& o) {
    const std::string name = o.at("class_name").text();
    const Borders1DOptions options{.data_format =
                                       o.get("data_format", "channels_last")};
    if (name == "ZeroPadding1D") {
      return Layer(ZeroPadding1D(border(o.at("padding")), options));
    }
    if (name == "ZeroPadding2D") {
      return Layer(ZeroPadding2D(borders(o.at("padding")), options));
    }
    if (name == "Cropping1D") {
      return Layer(Cropping1D(border(o.at("cropping")), options));
    }
    if (name == "Cropping2D") {
      return Layer(Cropping2D(borders(o.at("cropping")), options));
    }
    if (name == "UpSampling1D") {
      return Layer(UpSampling1D(o.at("size").integer(), options));
    }
    if (name == "ZeroPadding3D") {
      return Layer(ZeroPadding3D(borders3d(o.at("padding")), options));
    }
    if (name == "Cropping3D") {
      return Layer(Cropping3D(borders3d(o.at("cropping")), options));
    }
    if (name == "UpSampling3D") {
      const std::vector<int64_t> size = o.at("size").integers();
      return Layer(UpSampling3D({size[0], size[1], size[2]}, options));
    }
    return Layer(
        UpSampling2D(extent(o, "size"),
                     {.data_format = o.get("data_format", "channels_last"),
                      .interpolation = o.get("interpolation", "nearest")}));
  });
}

TEST(Borders, SizesInAllForms) {
  const Shape input{-1, 5, -1, 2};
  EXPECT_EQ(ZeroPadding2D().compute_output_shape(input), (Shape{-1, 7, -1, 2}));
  EXPECT_EQ(ZeroPadding2D({2, 1}).compute_output_shape(input),
            (Shape{-1, 9, -1, 2}));
  EXPECT_EQ(UpSampling2D().compute_output_shape(input), (Shape{-1, 10, -1, 2}));
}

TEST(Borders, MistakesAreNamed) {
  EXPECT_TRUE(text_of<ValueError>([] { ZeroPadding1D(-1); })
                  .starts_with("ZeroPadding1D: expected padding of at least 0, "
                               "got -1"));
  EXPECT_TRUE(
      text_of<ShapeError>([] {
        Cropping1D({2, 3}, {.name = "cut"})(zeros({1, 5, 2}));
      })
          .starts_with("Cropping1D \"cut\": expected an input larger "
                       "than what is cut off, 5 along axis 1, got (1, 5, "
                       "2)"));
  EXPECT_TRUE(
      text_of<ValueError>([] { UpSampling2D(2, {.interpolation = "cubic"}); })
          .starts_with("UpSampling2D: expected interpolation 'nearest', "
                       "'bilinear', 'bicubic', 'lanczos3' or "
                       "'lanczos5', got 'cubic'"));
  EXPECT_TRUE(text_of<ValueError>([] { UpSampling1D(0); })
                  .starts_with("UpSampling1D: expected size of at least 1, got "
                               "0"));
}

}  // namespace
}  // namespace systolic::layers
