#include "systolic/ops/windows.h"

#include <gtest/gtest.h>

namespace systolic::internal::ops {
namespace {

WindowAxis axis(int64_t size, int64_t window, int64_t stride, int64_t dilation,
                Padding padding) {
  return window_axis(size, window, stride, dilation, padding, "conv",
                     SourceLocation::current());
}

TEST(Windows, ValidPaddingTakesWholeWindowsOnly) {
  const WindowAxis a = axis(7, 3, 2, 1, Padding::valid);
  EXPECT_EQ(a.low, 0);
  EXPECT_EQ(a.high, 0);
  EXPECT_EQ(a.outputs(7, 3), 3);
  EXPECT_EQ(axis(7, 3, 1, 3, Padding::valid).outputs(7, 3), 1);
  EXPECT_EQ(axis(2, 3, 1, 1, Padding::valid).outputs(2, 3), 0);
}

// TensorFlow's rule: ceil(size / stride) windows, the odd element after.
TEST(Windows, SamePaddingGivesOneWindowPerStride) {
  struct {
    int64_t size, window, stride, dilation, low, high, outputs;
  } const cases[] = {{5, 3, 1, 1, 1, 1, 5}, {5, 2, 1, 1, 0, 1, 5},
                     {6, 3, 2, 1, 0, 1, 3}, {5, 3, 2, 1, 1, 1, 3},
                     {5, 1, 2, 1, 0, 0, 3}, {4, 3, 1, 2, 2, 2, 4},
                     {1, 2, 5, 1, 0, 1, 1}, {9, 2, 4, 1, 0, 1, 3}};
  for (const auto& c : cases) {
    const WindowAxis a =
        axis(c.size, c.window, c.stride, c.dilation, Padding::same);
    EXPECT_EQ(a.low, c.low) << c.size << " " << c.window << " " << c.stride;
    EXPECT_EQ(a.high, c.high) << c.size << " " << c.window << " " << c.stride;
    EXPECT_EQ(a.outputs(c.size, c.window), c.outputs);
  }
}

TEST(Windows, SizesBelowOneAreRefused) {
  for (const auto& [window, stride, dilation] :
       {std::array<int64_t, 3>{0, 1, 1}, std::array<int64_t, 3>{1, 0, 1},
        std::array<int64_t, 3>{1, 1, -1}}) {
    EXPECT_THROW(axis(4, window, stride, dilation, Padding::valid), ValueError);
  }
}

TEST(Windows, AttributesOfKernelsAndOfStablehlo) {
  ConvWindow window;
  window.push_back({2, 1, 0, 1});
  window.push_back({1, 3, 2, 2});
  EXPECT_EQ(window.kernel_attributes(),
            "strides = array<i64: 2, 1>, padding_low = array<i64: 0, 2>, "
            "padding_high = array<i64: 1, 2>");
  const stablehlo::Window same = window.stablehlo();
  EXPECT_EQ(same.strides, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(same.window_dilation, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(same.padding[1].low, 2);
  EXPECT_EQ(same.padding[0].high, 1);
}

}  // namespace
}  // namespace systolic::internal::ops
