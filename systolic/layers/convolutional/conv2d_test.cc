#include "systolic/layers/convolutional/conv2d.h"

#include <gtest/gtest.h>

#include "systolic/layers/window.h"

namespace systolic::layers {
namespace {

template <class F>
std::string thrown(F&& f) {
  try {
    f();
  } catch (const ValueError& e) {
    const std::string text = e.what();
    return text.substr(0, text.find("\n  at: conv2d_test.cc:"));
  }
  return {};
}

TEST(Conv2D, ChecksItsOptions) {
  EXPECT_EQ(thrown([] { Conv2D(0, 3, {.name = "c"}); }),
            "Conv2D \"c\": expected filters > 0, got 0");
  EXPECT_EQ(thrown([] {
              Conv2D(4, {0, 3}, {.name = "c"});
            }),
            "Conv2D \"c\": expected kernel_size > 0 along height and width, "
            "got (0, 3)");
  EXPECT_EQ(thrown([] { Conv2D(4, 3, {.strides = -1, .name = "c"}); }),
            "Conv2D \"c\": expected strides > 0 along height and width, got "
            "(-1, -1)");
  EXPECT_EQ(thrown([] { Conv2D(4, 3, {.dilation_rate = 0, .name = "c"}); }),
            "Conv2D \"c\": expected dilation_rate > 0 along height and width, "
            "got (0, 0)");
  EXPECT_EQ(thrown([] { Conv2D(4, 3, {.groups = 3, .name = "c"}); }),
            "Conv2D \"c\": expected groups > 0 that divide filters = 4, got "
            "groups = 3");
  EXPECT_EQ(thrown([] {
              Conv2D(4, 3, {.strides = 2, .dilation_rate = 2, .name = "c"});
            }),
            "Conv2D \"c\": expected strides or dilation_rate of 1, got "
            "strides (2, 2) and dilation_rate (2, 2)");
  EXPECT_EQ(thrown([] { Conv2D(4, 3, {.padding = "smae"}); }),
            "padding: expected 'valid' or 'same', got 'smae'");
  EXPECT_EQ(thrown([] { Conv2D(4, 3, {.data_format = "channel_last"}); }),
            "data_format: expected 'channels_last' or 'channels_first', got "
            "'channel_last'\n  hint: did you mean 'channels_last'?");
}

TEST(Conv2D, OutputShapes) {
  const Conv2D valid(8, 3);
  EXPECT_EQ(valid.compute_output_shape({-1, 28, 28, 1}),
            (Shape{-1, 26, 26, 8}));
  EXPECT_EQ(valid.compute_output_shape({2, -1, 28, 1}), (Shape{2, -1, 26, 8}));
  const Conv2D same(8, {3, 5}, {.strides = {2, 1}, .padding = "same"});
  EXPECT_EQ(same.compute_output_shape({4, 7, 7, 1}), (Shape{4, 4, 7, 8}));
  const Conv2D first(8, 3, {.data_format = "channels_first"});
  EXPECT_EQ(first.compute_output_shape({4, 1, 7, 9}), (Shape{4, 8, 5, 7}));
  const Conv2D dilated(8, 3, {.dilation_rate = 2});
  EXPECT_EQ(dilated.compute_output_shape({4, 7, 5, 1}), (Shape{4, 3, 1, 8}));
}

TEST(Conv2D, AnImageSmallerThanTheKernelIsAnError) {
  const Conv2D conv(8, 5, {.name = "c"});
  EXPECT_EQ(thrown([&] {
              conv.compute_output_shape({4, 3, 28, 1});
            }),
            "Conv2D \"c\": expected an image no smaller than the kernel (5, "
            "5), got height and width (3, 28)\n"
            "  input: (4, 3, 28, 1)\n"
            "  hint: use padding = \"same\", a smaller kernel or fewer "
            "pooling layers before it");
  EXPECT_EQ(thrown([&] {
              conv.compute_output_shape({4, 28, 28});
            }),
            "Conv2D \"c\": expected input rank 4, got rank 3\n"
            "  input: (4, 28, 28)\n"
            "  hint: images are (batch, height, width, channels); add an "
            "axis, for example expand_dims(x, -1)");
}

TEST(Window, CountsWindows) {
  EXPECT_EQ(window_output(28, 3, 1, Padding::valid), 26);
  EXPECT_EQ(window_output(28, 3, 2, Padding::valid), 13);
  EXPECT_EQ(window_output(28, 3, 2, Padding::same), 14);
  EXPECT_EQ(window_output(27, 3, 2, Padding::same), 14);
  EXPECT_EQ(window_output(7, 3, 1, Padding::valid, 3), 1);
  EXPECT_EQ(window_output(6, 3, 1, Padding::valid, 3), 0);
  EXPECT_EQ(window_output(-1, 3, 1, Padding::valid), -1);
}

}  // namespace
}  // namespace systolic::layers
