#include <gtest/gtest.h>

#include <limits>

#include "systolic/kernels/kernels.h"
#include "systolic/kernels/test_cases.h"
#include "systolic/testing/ffi_frame.h"

namespace systolic::internal::kernels {
namespace {

using pjrt::ffi_abi::ElementType;
using testing::FfiFrame;

constexpr auto kFloat = ElementType::float32;
using Floats = std::vector<float>;

std::vector<int64_t> vector(const std::array<int64_t, 2>& pair) {
  return {pair[0], pair[1]};
}

FfiFrame& set_attributes(FfiFrame& frame, const PoolingCase& c) {
  return frame.attribute("window", vector(c.window))
      .attribute("strides", vector(c.strides))
      .attribute("padding_low", vector(c.low))
      .attribute("padding_high", vector(c.high))
      .attribute("threads", int64_t{2});
}

// The index in x of each output's maximum, the first one among equals.
std::vector<int64_t> winners(const PoolingCase& c, const Floats& x) {
  const auto &in = c.input, out = c.output();
  std::vector<int64_t> found;
  for (int64_t k = 0; k < elements(out); ++k) {
    int64_t channel = k % out[3], column = k / out[3] % out[2];
    int64_t row = k / out[3] / out[2] % out[1];
    int64_t n = k / out[3] / out[2] / out[1];
    int64_t best = -1;
    for (int64_t i = 0; i < c.window[0] * c.window[1]; ++i) {
      int64_t h = row * c.strides[0] - c.low[0] + i / c.window[1];
      int64_t v = column * c.strides[1] - c.low[1] + i % c.window[1];
      if (h < 0 || h >= in[1] || v < 0 || v >= in[2]) continue;
      int64_t at = ((n * in[1] + h) * in[2] + v) * in[3] + channel;
      if (best < 0 || x[at] > x[best]) best = at;
    }
    found.push_back(best);
  }
  return found;
}

class PoolingTest : public ::testing::TestWithParam<PoolingCase> {
 protected:
  PoolingTest() {
    // Few distinct values, so that windows hold equal maxima.
    for (float& value : x) value = std::round(value);
  }

  const PoolingCase& c = GetParam();
  Floats x = random_values(c.input, 1);
};

TEST_P(PoolingTest, ForwardTakesTheMaximum) {
  Floats expected;
  for (int64_t at : winners(c, x)) expected.push_back(x[at]);
  Floats y(expected.size());
  FfiFrame frame;
  frame.argument(kFloat, c.input, x.data());
  frame.result(kFloat, c.output(), y.data());
  EXPECT_EQ(set_attributes(frame, c).call(&systolic_max_pool2d_forward), "");
  EXPECT_EQ(y, expected);
}

TEST_P(PoolingTest, GradientGoesToTheFirstMaximum) {
  Floats dy = random_values(c.output(), 2);
  Floats expected(x.size());
  std::vector<int64_t> found = winners(c, x);
  for (size_t k = 0; k < found.size(); ++k) expected[found[k]] += dy[k];
  Floats dx(x.size(), 7.f);
  FfiFrame frame;
  frame.argument(kFloat, c.input, x.data());
  frame.argument(kFloat, c.output(), dy.data());
  frame.result(kFloat, c.input, dx.data());
  EXPECT_EQ(set_attributes(frame, c).call(&systolic_max_pool2d_gradient), "");
  EXPECT_EQ(dx, expected);
}

INSTANTIATE_TEST_SUITE_P(Cases, PoolingTest,
                         ::testing::ValuesIn(pooling_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(PoolingEdgeTest, ANanIsTheMaximum) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Floats x{1.f, nan, 3.f, 2.f}, y(1), dy{5.f}, dx(4);
  FfiFrame forward;
  forward.argument(kFloat, {1, 2, 2, 1}, x.data());
  forward.result(kFloat, {1, 1, 1, 1}, y.data());
  forward.attribute("window", std::vector<int64_t>{2, 2});
  EXPECT_EQ(forward.call(&systolic_max_pool2d_forward), "");
  EXPECT_NE(y[0], y[0]);
  FfiFrame gradient;
  gradient.argument(kFloat, {1, 2, 2, 1}, x.data());
  gradient.argument(kFloat, {1, 1, 1, 1}, dy.data());
  gradient.result(kFloat, {1, 2, 2, 1}, dx.data());
  gradient.attribute("window", std::vector<int64_t>{2, 2});
  EXPECT_EQ(gradient.call(&systolic_max_pool2d_gradient), "");
  EXPECT_EQ(dx, (Floats{0.f, 5.f, 0.f, 0.f}));
}

TEST(PoolingEdgeTest, AWindowInThePaddingHasNoMaximum) {
  const float lowest = -std::numeric_limits<float>::infinity();
  Floats x{4.f}, y(3), dy{1.f, 2.f, 3.f}, dx(1);
  FfiFrame forward;
  forward.argument(kFloat, {1, 1, 1, 1}, x.data());
  forward.result(kFloat, {1, 1, 3, 1}, y.data());
  std::vector<int64_t> padding{0, 1}, window{1, 1};
  forward.attribute("window", window).attribute("padding_low", padding);
  forward.attribute("padding_high", padding);
  EXPECT_EQ(forward.call(&systolic_max_pool2d_forward), "");
  EXPECT_EQ(y, (Floats{lowest, 4.f, lowest}));
  FfiFrame gradient;
  gradient.argument(kFloat, {1, 1, 1, 1}, x.data());
  gradient.argument(kFloat, {1, 1, 3, 1}, dy.data());
  gradient.result(kFloat, {1, 1, 1, 1}, dx.data());
  gradient.attribute("window", window).attribute("padding_low", padding);
  gradient.attribute("padding_high", padding);
  EXPECT_EQ(gradient.call(&systolic_max_pool2d_gradient), "");
  EXPECT_EQ(dx, Floats{2.f});
}

TEST(PoolingEdgeTest, SaysWhatDoesNotFit) {
  Floats data(64);
  FfiFrame frame;
  frame.argument(kFloat, {1, 4, 4, 1}, data.data());
  frame.result(kFloat, {1, 3, 2, 1}, data.data());
  EXPECT_EQ(frame.call(&systolic_max_pool2d_forward),
            "systolic_max_pool2d_forward: attribute \"window\" is missing\n"
            "  attributes: none\n"
            "  hint: attributes are passed in `backend_config = {...}`");
  frame.attribute("window", std::vector<int64_t>{2, 2});
  frame.attribute("strides", std::vector<int64_t>{2, 2});
  EXPECT_EQ(frame.call(&systolic_max_pool2d_forward),
            "systolic_max_pool2d_forward: window, strides and padding do not "
            "lead from tensor<1x4x4x1xf32> to tensor<1x3x2x1xf32>");
}

}  // namespace
}  // namespace systolic::internal::kernels
