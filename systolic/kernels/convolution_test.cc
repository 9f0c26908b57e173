#include <gtest/gtest.h>

#include <cmath>

#include "systolic/kernels/kernels.h"
#include "systolic/kernels/test_cases.h"
#include "systolic/testing/ffi_frame.h"

namespace systolic::internal::kernels {
namespace {

using pjrt::ffi_abi::ElementType;
using pjrt::ffi_abi::ErrorCode;
using testing::FfiFrame;

constexpr auto kFloat = ElementType::float32;
using Floats = std::vector<float>;

std::vector<int64_t> vector(const std::array<int64_t, 2>& pair) {
  return {pair[0], pair[1]};
}

FfiFrame& set_attributes(FfiFrame& frame, const ConvolutionCase& c) {
  return frame.attribute("strides", vector(c.strides))
      .attribute("padding_low", vector(c.low))
      .attribute("padding_high", vector(c.high))
      .attribute("dilation", vector(c.dilation))
      .attribute("groups", c.groups)
      .attribute("threads", int64_t{2});
}

// Calls visit(x index, w index, y index) for every product of the convolution.
template <class Visit>
void for_each_product(const ConvolutionCase& c, Visit visit) {
  const auto &x = c.input, &w = c.filter, y = c.output();
  const int64_t per_group = w[3] / c.groups;
  for (int64_t i = 0; i < elements(y) * w[0] * w[1] * w[2]; ++i) {
    int64_t rest = i;
    auto next = [&rest](int64_t size) {
      int64_t digit = rest % size;
      rest /= size;
      return digit;
    };
    int64_t in = next(w[2]), kw = next(w[1]), kh = next(w[0]);
    int64_t out = next(y[3]), ow = next(y[2]), oh = next(y[1]), n = rest;
    int64_t h = oh * c.strides[0] - c.low[0] + kh * c.dilation[0];
    int64_t v = ow * c.strides[1] - c.low[1] + kw * c.dilation[1];
    if (h < 0 || h >= x[1] || v < 0 || v >= x[2]) continue;
    int64_t channel = out / per_group * w[2] + in;
    visit(((n * x[1] + h) * x[2] + v) * x[3] + channel,
          ((kh * w[1] + kw) * w[2] + in) * w[3] + out,
          ((n * y[1] + oh) * y[2] + ow) * y[3] + out);
  }
}

void expect_near(const Floats& got, const Floats& expected) {
  ASSERT_EQ(got.size(), expected.size());
  float scale = 1.f;
  for (float value : expected) scale = std::max(scale, std::abs(value));
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], 1e-5f * scale) << "at " << i;
  }
}

class ConvolutionTest : public ::testing::TestWithParam<ConvolutionCase> {
 protected:
  const ConvolutionCase& c = GetParam();
  Floats x = random_values(c.input, 1);
  Floats w = random_values(c.filter, 2);
  Floats y = random_values(c.output(), 3);
  Floats bias = random_values({c.filter[3]}, 4);
};

TEST_P(ConvolutionTest, ForwardSumsTheProducts) {
  Floats expected(y.size());
  for_each_product(c,
                   [&](auto i, auto j, auto k) { expected[k] += x[i] * w[j]; });
  FfiFrame frame;
  frame.argument(kFloat, c.input, x.data());
  frame.argument(kFloat, c.filter, w.data());
  frame.result(kFloat, c.output(), y.data());
  EXPECT_EQ(set_attributes(frame, c).call(&systolic_conv2d_forward), "");
  expect_near(y, expected);
}

TEST_P(ConvolutionTest, ForwardAddsTheBiasAndCutsOff) {
  Floats expected(y.size());
  for_each_product(c,
                   [&](auto i, auto j, auto k) { expected[k] += x[i] * w[j]; });
  for (size_t k = 0; k < expected.size(); ++k) {
    expected[k] = std::max(0.f, expected[k] + bias[k % bias.size()]);
  }
  FfiFrame frame;
  frame.argument(kFloat, c.input, x.data());
  frame.argument(kFloat, c.filter, w.data());
  frame.argument(kFloat, {c.filter[3]}, bias.data());
  frame.result(kFloat, c.output(), y.data());
  frame.attribute("relu", true);
  EXPECT_EQ(set_attributes(frame, c).call(&systolic_conv2d_forward), "");
  expect_near(y, expected);
}

// The gradients of every combination that can be asked for.
TEST_P(ConvolutionTest, GradientsAreTheAdjoints) {
  Floats relu = random_values(c.output(), 5);
  for (int flags = 0; flags < 16; ++flags) {
    const bool input = flags & 1, filter = flags & 2;
    const bool has_bias = flags & 4, has_relu = flags & 8;
    if (!input && !filter) continue;
    Floats dy = y, dx(x.size()), dw(w.size()), db(bias.size());
    for (size_t k = 0; has_relu && k < dy.size(); ++k) {
      if (relu[k] <= 0) dy[k] = 0;
    }
    for_each_product(c, [&](auto i, auto j, auto k) {
      dx[i] += dy[k] * w[j];
      dw[j] += dy[k] * x[i];
    });
    for (size_t k = 0; k < y.size(); ++k) db[k % db.size()] += dy[k];
    Floats got_x(x.size(), 7.f), got_w(w.size(), 7.f), got_b(db.size(), 7.f);
    FfiFrame frame;
    frame.argument(kFloat, c.output(), y.data());
    if (has_relu) frame.argument(kFloat, c.output(), relu.data());
    if (filter) frame.argument(kFloat, c.input, x.data());
    if (input) frame.argument(kFloat, c.filter, w.data());
    if (input) frame.result(kFloat, c.input, got_x.data());
    if (filter) frame.result(kFloat, c.filter, got_w.data());
    if (has_bias) frame.result(kFloat, {c.filter[3]}, got_b.data());
    frame.attribute("input", input).attribute("filter", filter);
    frame.attribute("bias", has_bias).attribute("relu", has_relu);
    SCOPED_TRACE("flags: " + std::to_string(flags));
    EXPECT_EQ(set_attributes(frame, c).call(&systolic_conv2d_gradient), "");
    if (input) expect_near(got_x, dx);
    if (filter) expect_near(got_w, dw);
    if (has_bias) expect_near(got_b, db);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ConvolutionTest,
                         ::testing::ValuesIn(convolution_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(ConvolutionErrorTest, AttributesHaveDefaults) {
  Floats x(9, 1.f), w(4, 2.f), y(4);
  FfiFrame frame;
  frame.argument(kFloat, {1, 3, 3, 1}, x.data());
  frame.argument(kFloat, {2, 2, 1, 1}, w.data());
  frame.result(kFloat, {1, 2, 2, 1}, y.data());
  EXPECT_EQ(frame.call(&systolic_conv2d_forward), "");
  EXPECT_EQ(y, Floats(4, 8.f));
}

TEST(ConvolutionErrorTest, AnEmptyBatchHasGradientZero) {
  Floats none, w(4, 2.f), bias(1, 2.f);
  FfiFrame frame;
  frame.argument(kFloat, {0, 2, 2, 1}, none.data());
  frame.argument(kFloat, {0, 3, 3, 1}, none.data());
  frame.result(kFloat, {2, 2, 1, 1}, w.data());
  frame.result(kFloat, {1}, bias.data());
  frame.attribute("filter", true).attribute("bias", true);
  EXPECT_EQ(frame.call(&systolic_conv2d_gradient), "");
  EXPECT_EQ(w, Floats(4, 0.f));
  EXPECT_EQ(bias, Floats(1, 0.f));
}

// The message for a forward call of 1x3x3x`channels` with a 2x2 filter.
std::string error_of(int64_t channels, Dimensions output,
                     std::vector<int64_t> strides, int64_t groups) {
  Floats data(64);
  FfiFrame frame;
  frame.argument(kFloat, {1, 3, 3, channels}, data.data());
  frame.argument(kFloat, {2, 2, 1, 1}, data.data());
  frame.result(kFloat, std::move(output), data.data());
  frame.attribute("strides", std::move(strides)).attribute("groups", groups);
  std::string message = frame.call(&systolic_conv2d_forward);
  EXPECT_EQ(frame.code(), ErrorCode::invalid_argument);
  return message;
}

TEST(ConvolutionErrorTest, SaysWhatDoesNotFit) {
  EXPECT_EQ(error_of(2, {1, 2, 2, 1}, {1, 1}, 1),
            "systolic_conv2d_forward: the groups do not divide the channels\n"
            "  input [1, 3, 3, 2], filter [2, 2, 1, 1], output [1, 2, 2, 1], "
            "strides [1, 1], padding_low [0, 0], padding_high [0, 0], "
            "dilation [1, 1], groups 1");
  EXPECT_EQ(error_of(1, {1, 2, 2, 1}, {1, 0}, 1),
            "systolic_conv2d_forward: attribute \"strides\": expected values "
            ">= 1, got 0");
  EXPECT_NE(error_of(1, {1, 3, 3, 1}, {1, 1}, 1)
                .find("oneDNN does not take this convolution"),
            std::string::npos);
}

TEST(ConvolutionErrorTest, SaysWhichGradientsMayBeWanted) {
  Floats data(64);
  FfiFrame none;
  none.argument(kFloat, {1, 2, 2, 1}, data.data());
  EXPECT_EQ(none.call(&systolic_conv2d_gradient),
            "systolic_conv2d_gradient: expected attribute \"input\" or "
            "\"filter\" to be true");
  none.attribute("input", true);
  EXPECT_EQ(none.call(&systolic_conv2d_gradient),
            "systolic_conv2d_gradient: expected 2 arguments, got 1");
  FfiFrame frame;
  frame.argument(kFloat, {1, 2, 2, 1}, data.data());
  frame.argument(kFloat, {1, 2, 3, 1}, data.data());
  frame.argument(kFloat, {2, 2, 1, 1}, data.data());
  frame.result(kFloat, {1, 3, 3, 1}, data.data());
  frame.attribute("input", true).attribute("relu", true);
  EXPECT_EQ(frame.call(&systolic_conv2d_gradient),
            "systolic_conv2d_gradient: expected a result like "
            "tensor<1x2x2x1xf32>, got tensor<1x2x3x1xf32>");
}

}  // namespace
}  // namespace systolic::internal::kernels
