// The gradients of a convolution with relu from what is behind a max pooling.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "systolic/kernels/test_gradients.h"
#include "systolic/kernels/test_poolings.h"
#include "systolic/kernels/test_runner.h"

namespace systolic::internal::kernels {
namespace {

constexpr int kLoops = 2;  // inside a while

std::string replaced(std::string text, const std::string& from,
                     const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// A convolution whose result is pooled: all gradients from that of the pooled
// result, %a0, and the result, %a1. The twin spreads with select_and_scatter.
Step pooled_step(const ConvolutionCase& c, PoolingCase pool, Form form,
                 int64_t threads) {
  pool.input = c.output();
  Step step = both_gradients_step(
      c, form, {.bias = true, .relu = true, .threads = threads});
  step.inputs[0] = pool.output();
  if (form == Form::handler) {
    step.body = call_of(
        "systolic_conv2d_gradient",
        attributes_of(c, {.threads = threads}) +
            ", input = true, filter = true, bias = true, relu = true, " +
            pair_text("pool_window", pool.window) + ", " +
            pair_text("pool_strides", pool.strides) + ", " +
            pair_text("pool_padding_low", pool.low) + ", " +
            pair_text("pool_padding_high", pool.high),
        step.inputs, step.outputs);
    return step;
  }
  std::string spread = pooling_gradient_step(pool, Form::twin, {}).body;
  spread = replaced(spread, "%a0", "%y");
  spread = replaced(spread, "%a1", "%a0");
  spread = replaced(spread, "%y", "%a1");
  step.body = replaced(spread, "%r0", "%pooled") +
              replaced(step.body, "%a0", "%pooled");
  return step;
}

std::vector<PoolingCase> poolings() {
  return {{.name = "plain", .input = {}},
          {.name = "overlapping",
           .input = {},
           .window = {3, 3},
           .strides = {2, 1},
           .low = {1, 1},
           .high = {0, 1}}};
}

TEST(PooledGradientTest, AgreesWithStableHlo) {
  for (const ConvolutionCase& c : convolution_cases()) {
    const Dimensions y = c.output();
    if (y[1] < 3 || y[2] < 3) continue;
    for (const PoolingCase& pool : poolings()) {
      const Step handler = pooled_step(c, pool, Form::handler, 0);
      const Step twin = pooled_step(c, pool, Form::twin, 0);
      const auto inputs = random_inputs(handler);
      SCOPED_TRACE(c.name + ", " + pool.name);
      const auto got = Runner(handler, kLoops).run(inputs)[0];
      const auto expected = Runner(twin, kLoops).run(inputs)[0];
      for (size_t output = 0; output < expected.size(); ++output) {
        float scale = 1.f;
        for (float value : expected[output]) {
          scale = std::max(scale, std::abs(value));
        }
        for (size_t i = 0; i < expected[output].size(); ++i) {
          ASSERT_NEAR(got[output][i], expected[output][i], 1e-5f * scale)
              << "output " << output << " at " << i;
        }
      }
    }
  }
}

TEST(PooledGradientTest, EightAtOnceAreBitIdenticalToOne) {
  const ConvolutionCase c{
      .name = "", .input = {25, 13, 13, 32}, .filter = {3, 3, 32, 64}};
  const Step step = pooled_step(c, poolings()[0], Form::handler, 1);
  const auto inputs = random_inputs(step);
  for (int loops : {0, 3}) {
    const auto alone = Runner(step, loops).run(inputs)[0];
    Runner eight(step, loops, 8);
    for (int repetition = 0; repetition < 3; ++repetition) {
      for (const auto& replica : eight.run(inputs)) {
        ASSERT_TRUE(replica == alone);
      }
    }
  }
}

}  // namespace
}  // namespace systolic::internal::kernels
