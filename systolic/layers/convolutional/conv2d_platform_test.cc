#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/layers/convolutional/conv2d.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/layer_contract.h"

namespace systolic::layers {
namespace {

std::string first_lines(const std::string& text) {
  return text.substr(0, text.find("\n  at: conv2d_platform_test.cc:"));
}

Extent2D extent(const std::vector<int64_t>& sizes) {
  return sizes.size() == 1 ? Extent2D(sizes[0]) : Extent2D(sizes[0], sizes[1]);
}

TEST(Conv2DContract, Plain) {
  contracts::check_layer(
      {.make = [](DTypePolicy dtype) { return Conv2D(4, 3, {.dtype = dtype}); },
       .input_shape = {6, 7, 2},
       .output_shape = {4, 5, 4},
       .weights = {{"kernel", {3, 3, 2, 4}}, {"bias", {4}}}});
}

TEST(Conv2DContract, FusedReluSamePadding) {
  contracts::check_layer(
      {.make =
           [](DTypePolicy dtype) {
             return Conv2D(4, {3, 1},
                           {.strides = {1, 2},
                            .padding = "same",
                            .activation = "relu",
                            .dtype = dtype});
           },
       .input_shape = {6, 7, 2},
       .output_shape = {6, 4, 4},
       .weights = {{"kernel", {3, 1, 2, 4}}, {"bias", {4}}}});
}

TEST(Conv2DContract, Dilated) {
  contracts::check_layer(
      {.make =
           [](DTypePolicy dtype) {
             return Conv2D(4, 3, {.dilation_rate = 2, .dtype = dtype});
           },
       .input_shape = {7, 6, 2},
       .output_shape = {3, 2, 4},
       .weights = {{"kernel", {3, 3, 2, 4}}, {"bias", {4}}}});
}

TEST(Conv2DContract, GroupsChannelsFirstWithoutBias) {
  contracts::check_layer({.make =
                              [](DTypePolicy dtype) {
                                return Conv2D(6, 2,
                                              {.data_format = "channels_first",
                                               .groups = 2,
                                               .activation = "tanh",
                                               .use_bias = false,
                                               .dtype = dtype});
                              },
                          .input_shape = {4, 5, 6},
                          .output_shape = {6, 4, 5},
                          .weights = {{"kernel", {2, 2, 2, 6}}}});
}

TEST(Conv2DGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_conv2d", [](const golden::Value& options) {
        const auto sizes = [&](const char* key) {
          return extent(options.get(key, std::vector<int64_t>{1}));
        };
        return Conv2D(options.at("filters").integer(), sizes("kernel_size"),
                      {.strides = sizes("strides"),
                       .padding = options.get("padding", "valid"),
                       .dilation_rate = sizes("dilation_rate"),
                       .groups = options.get("groups", 1),
                       .activation = options.get("activation", "linear"),
                       .use_bias = options.get("use_bias", true),
                       .dtype = options.get("dtype", "float32")});
      });
}

TEST(Conv2D, ChannelsFirstIsTheSameTransposed) {
  Array image = cast<float>(
      Array::from(std::vector<int>(2 * 5 * 6 * 3, 1), {2, 5, 6, 3}));
  auto values = image.mutable_span<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = float(i % 17) - 8;
  const Conv2D last(4, 3);
  const Conv2D first(4, 3, {.data_format = "channels_first"});
  const Array expected = last(image).numpy();
  first.build({-1, 3, 5, 6});
  first.set_weights(last.get_weights());
  const Array got = first(transpose(image, {0, 3, 1, 2})).numpy();
  EXPECT_TRUE(allclose(transpose(got, {0, 2, 3, 1}), expected));
}

TEST(Conv2D, ChecksItsInput) {
  const Conv2D conv(4, 3, {.name = "c"});
  conv(zeros({2, 5, 5, 1}));
  try {
    conv(zeros({2, 5, 5, 3}));
    FAIL() << "no exception";
  } catch (const ShapeError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "Conv2D \"c\": expected axis -1 of input shape to have value 1, got "
        "3\n  input: float32[2, 5, 5, 3]\n  built for: (2, 5, 5, 1)\n"))
        << e.what();
  }
  EXPECT_THROW(conv(zeros({2, 2, 5, 1})), ShapeError);
  EXPECT_THROW(conv(zeros({5, 5, 1})), ShapeError);
  conv(zeros({1, 9, 3, 1}));
}

TEST(Conv2D, GroupsMustDivideTheChannels) {
  const Conv2D conv(4, 3, {.groups = 2, .name = "c"});
  try {
    conv(zeros({2, 5, 5, 3}));
    FAIL() << "no exception";
  } catch (const ShapeError& e) {
    EXPECT_EQ(first_lines(e.what()),
              "Conv2D \"c\": expected a number of channels that groups = 2 "
              "divide, got 3 channels\n  input: (2, 5, 5, 3)");
  }
}

}  // namespace
}  // namespace systolic::layers
