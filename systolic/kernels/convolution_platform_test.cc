#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/kernels/test_gradients.h"
#include "systolic/kernels/test_runner.h"

namespace systolic::internal::kernels {
namespace {

using StepFunction = Step (*)(const ConvolutionCase&, Form, const StepOptions&);

void expect_near(const std::vector<float>& got,
                 const std::vector<float>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  float scale = 1.f;
  for (float value : expected) scale = std::max(scale, std::abs(value));
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], 1e-5f * scale) << "at " << i;
  }
}

class ConvolutionPlatformTest
    : public ::testing::TestWithParam<ConvolutionCase> {
 protected:
  // Runs both forms, once and in a loop.
  void compare(StepFunction make, const StepOptions& options) {
    const Step handler = make(GetParam(), Form::handler, options);
    const Step twin = make(GetParam(), Form::twin, options);
    const auto inputs = random_inputs(handler);
    for (int loops : {0, 3}) {
      SCOPED_TRACE("loops: " + std::to_string(loops));
      auto got = Runner(handler, loops).run(inputs)[0];
      auto expected = Runner(twin, loops).run(inputs)[0];
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) {
        expect_near(got[i], expected[i]);
      }
    }
  }
};

TEST_P(ConvolutionPlatformTest, ForwardAgreesWithStableHlo) {
  compare(&forward_step, {});
}

TEST_P(ConvolutionPlatformTest, ForwardWithBiasAndReluAgreesWithStableHlo) {
  compare(&forward_step, {.bias = true, .relu = true});
}

TEST_P(ConvolutionPlatformTest, InputGradientAgreesWithStableHlo) {
  compare(&input_gradient_step, {});
}

TEST_P(ConvolutionPlatformTest, FilterGradientAgreesWithStableHlo) {
  compare(&filter_gradient_step, {.bias = true});
}

TEST_P(ConvolutionPlatformTest, AllGradientsAtOnceAgreeWithStableHlo) {
  compare(&both_gradients_step, {.bias = true, .relu = true});
}

INSTANTIATE_TEST_SUITE_P(Cases, ConvolutionPlatformTest,
                         ::testing::ValuesIn(convolution_cases()),
                         [](const auto& test) { return test.param.name; });

// Eight replicas at once give, again and again, the bits of one alone: they
// share no scratch memory.
TEST(ConvolutionReplicasTest, EightAtOnceAreBitIdenticalToOne) {
  const ConvolutionCase c{
      .name = "", .input = {25, 13, 13, 32}, .filter = {3, 3, 32, 64}};
  for (StepFunction make :
       {&forward_step, &input_gradient_step, &both_gradients_step}) {
    const bool has_bias = make != &input_gradient_step;
    const Step step = make(c, Form::handler,
                           {.bias = has_bias, .relu = has_bias, .threads = 1});
    const auto inputs = random_inputs(step);
    for (int loops : {0, 5}) {
      const auto alone = Runner(step, loops).run(inputs)[0];
      Runner eight(step, loops, 8);
      for (int repetition = 0; repetition < 5; ++repetition) {
        for (const auto& replica : eight.run(inputs)) {
          ASSERT_TRUE(replica == alone);
        }
      }
    }
  }
}

TEST(ConvolutionReplicasTest, MoreThreadsAreReproducible) {
  const ConvolutionCase c{
      .name = "", .input = {8, 13, 13, 32}, .filter = {3, 3, 32, 64}};
  for (StepFunction make :
       {&forward_step, &both_gradients_step, &filter_gradient_step}) {
    Runner runner(make(c, Form::handler, {.threads = 3}), 0, 2);
    const auto inputs = random_inputs(make(c, Form::handler, {}));
    const auto first = runner.run(inputs);
    EXPECT_TRUE(first[0] == first[1]);
    EXPECT_TRUE(runner.run(inputs) == first);
  }
}

TEST(ConvolutionFailureTest, AnErrorReachesTheReader) {
  ConvolutionCase c{.name = "", .input = {1, 4, 4, 1}, .filter = {3, 3, 1, 1}};
  Step step = forward_step(c, Form::handler, {});
  const std::string good = "groups = 1 : i64";
  step.body.replace(step.body.find(good), good.size(), "groups = 2 : i64");
  try {
    Runner(step).run(random_inputs(step));
    FAIL() << "nothing was thrown";
  } catch (const PlatformError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("systolic_conv2d_forward: the groups do not divide"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace systolic::internal::kernels
