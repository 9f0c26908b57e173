#include <gtest/gtest.h>

#include "systolic/kernels/kernels.h"
#include "systolic/kernels/test_cases.h"
#include "systolic/testing/ffi_frame.h"

namespace systolic::internal::kernels {
namespace {

using pjrt::ffi_abi::ElementType;
using testing::FfiFrame;

constexpr auto kFloat = ElementType::float32;
using Floats = std::vector<float>;

FfiFrame& set_attributes(FfiFrame& frame, const PoolingCase& c,
                         int64_t threads) {
  const auto vector = [](const std::array<int64_t, 2>& pair) {
    return std::vector<int64_t>{pair[0], pair[1]};
  };
  return frame.attribute("window", vector(c.window))
      .attribute("strides", vector(c.strides))
      .attribute("padding_low", vector(c.low))
      .attribute("padding_high", vector(c.high))
      .attribute("threads", threads);
}

// The indices in x of the pixels that each output is the mean of.
std::vector<std::vector<int64_t>> members(const PoolingCase& c) {
  const auto &in = c.input, out = c.output();
  std::vector<std::vector<int64_t>> found;
  for (int64_t k = 0; k < elements(out); ++k) {
    int64_t channel = k % out[3], column = k / out[3] % out[2];
    int64_t row = k / out[3] / out[2] % out[1];
    int64_t n = k / out[3] / out[2] / out[1];
    found.emplace_back();
    for (int64_t i = 0; i < c.window[0] * c.window[1]; ++i) {
      int64_t h = row * c.strides[0] - c.low[0] + i / c.window[1];
      int64_t v = column * c.strides[1] - c.low[1] + i % c.window[1];
      if (h < 0 || h >= in[1] || v < 0 || v >= in[2]) continue;
      found.back().push_back(((n * in[1] + h) * in[2] + v) * in[3] + channel);
    }
  }
  return found;
}

void expect_near(const Floats& got, const Floats& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], 1e-5f) << "at " << i;
  }
}

// On one thread, on several, and on more than there are images.
class AveragePoolingTest : public ::testing::TestWithParam<PoolingCase> {
 protected:
  const PoolingCase& c = GetParam();
  const std::vector<std::vector<int64_t>> all = members(c);
};

TEST_P(AveragePoolingTest, ForwardIsTheMeanOfThePixelsInside) {
  Floats x = random_values(c.input, 1);
  Floats expected;
  for (const auto& pixels : all) {
    double sum = 0;
    for (int64_t at : pixels) sum += x[at];
    expected.push_back(static_cast<float>(sum / pixels.size()));
  }
  for (int64_t threads : {1, 2, 5}) {
    Floats y(expected.size(), 7.f);
    FfiFrame frame;
    frame.argument(kFloat, c.input, x.data());
    frame.result(kFloat, c.output(), y.data());
    EXPECT_EQ(set_attributes(frame, c, threads)
                  .call(&systolic_average_pool2d_forward),
              "");
    expect_near(y, expected);
  }
}

TEST_P(AveragePoolingTest, GradientIsSharedByThePixelsInside) {
  Floats dy = random_values(c.output(), 2);
  Floats expected(elements(c.input));
  for (size_t k = 0; k < all.size(); ++k) {
    for (int64_t at : all[k]) {
      expected[at] += dy[k] / static_cast<float>(all[k].size());
    }
  }
  for (int64_t threads : {1, 2, 5}) {
    Floats dx(expected.size(), 7.f);
    FfiFrame frame;
    frame.argument(kFloat, c.output(), dy.data());
    frame.result(kFloat, c.input, dx.data());
    EXPECT_EQ(set_attributes(frame, c, threads)
                  .call(&systolic_average_pool2d_gradient),
              "");
    expect_near(dx, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, AveragePoolingTest,
                         ::testing::ValuesIn(pooling_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(AveragePoolingEdgeTest, NoImages) {
  Floats none(1), dx(1);
  const PoolingCase c{.name = "", .input = {0, 4, 4, 3}};
  FfiFrame forward;
  forward.argument(kFloat, {0, 4, 4, 3}, none.data());
  forward.result(kFloat, {0, 2, 2, 3}, none.data());
  EXPECT_EQ(
      set_attributes(forward, c, 2).call(&systolic_average_pool2d_forward), "");
  FfiFrame gradient;
  gradient.argument(kFloat, {0, 2, 2, 3}, none.data());
  gradient.result(kFloat, {0, 4, 4, 3}, dx.data());
  EXPECT_EQ(
      set_attributes(gradient, c, 2).call(&systolic_average_pool2d_gradient),
      "");
}

TEST(AveragePoolingEdgeTest, NoWindows) {
  Floats none(1), dx(4, 7.f);
  FfiFrame gradient;
  gradient.argument(kFloat, {1, 0, 1, 1}, none.data());
  gradient.result(kFloat, {1, 1, 4, 1}, dx.data());
  const PoolingCase c{.name = "", .window = {2, 3}, .strides = {2, 3}};
  EXPECT_EQ(
      set_attributes(gradient, c, 2).call(&systolic_average_pool2d_gradient),
      "");
  EXPECT_EQ(dx, Floats(4, 0.f));
}

TEST(AveragePoolingEdgeTest, SaysWhatDoesNotFit) {
  Floats data(64);
  FfiFrame frame;
  frame.argument(kFloat, {1, 1, 1, 1}, data.data());
  frame.result(kFloat, {1, 1, 3, 1}, data.data());
  const std::vector<int64_t> padding{0, 1}, window{1, 1};
  frame.attribute("window", window).attribute("padding_low", padding);
  EXPECT_EQ(frame.call(&systolic_average_pool2d_forward),
            "systolic_average_pool2d_forward: window, strides and padding do "
            "not lead from tensor<1x1x1x1xf32> to tensor<1x1x3x1xf32>");
  frame.attribute("padding_high", padding);
  EXPECT_EQ(frame.call(&systolic_average_pool2d_forward),
            "systolic_average_pool2d_forward: expected less padding than the "
            "window is large, got padding 1 and window 1");
}

}  // namespace
}  // namespace systolic::internal::kernels
