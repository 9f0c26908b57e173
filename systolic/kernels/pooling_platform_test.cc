#include <gtest/gtest.h>

#include "systolic/kernels/test_poolings.h"
#include "systolic/kernels/test_runner.h"

namespace systolic::internal::kernels {
namespace {

class PoolingPlatformTest : public ::testing::TestWithParam<PoolingCase> {};

TEST_P(PoolingPlatformTest, ForwardEqualsStableHlo) {
  const Step handler = pooling_step(GetParam(), Form::handler, {});
  const auto inputs = random_inputs(handler);
  for (int loops : {0, 3}) {
    EXPECT_TRUE(
        Runner(handler, loops).run(inputs) ==
        Runner(pooling_step(GetParam(), Form::twin, {}), loops).run(inputs));
  }
}

TEST_P(PoolingPlatformTest, GradientEqualsStableHlo) {
  const Step handler = pooling_gradient_step(GetParam(), Form::handler, {});
  const Step twin = pooling_gradient_step(GetParam(), Form::twin, {});
  auto inputs = random_inputs(handler);
  // Few distinct values, so that windows hold equal maxima; small sums of
  // whole numbers are exact in any order.
  for (auto& input : inputs) {
    for (float& value : input) value = std::round(2.f * value);
  }
  for (int loops : {0, 3}) {
    EXPECT_TRUE(Runner(handler, loops).run(inputs) ==
                Runner(twin, loops).run(inputs));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, PoolingPlatformTest,
                         ::testing::ValuesIn(pooling_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(PoolingTwinTest, SlicesEqualTheWindows) {
  for (const PoolingCase& c : pooling_cases()) {
    if (c.name != "mnist" && c.name != "odd") continue;
    const Step step = pooling_step(c, Form::twin, {});
    const Step gradient = pooling_gradient_step(c, Form::twin, {});
    EXPECT_TRUE(Runner(step).run(random_inputs(step)) ==
                Runner(pooling_slices_step(c)).run(random_inputs(step)));
    EXPECT_TRUE(
        Runner(gradient).run(random_inputs(gradient)) ==
        Runner(pooling_slices_gradient_step(c)).run(random_inputs(gradient)));
  }
}

TEST(PoolingReplicasTest, EightAtOnceEqualOne) {
  const PoolingCase c{.name = "", .input = {25, 26, 26, 32}};
  for (const Step& step :
       {pooling_step(c, Form::handler, {.threads = 1}),
        pooling_gradient_step(c, Form::handler, {.threads = 1})}) {
    const auto inputs = random_inputs(step);
    const auto alone = Runner(step).run(inputs)[0];
    for (const auto& replica : Runner(step, 0, 8).run(inputs)) {
      EXPECT_TRUE(replica == alone);
    }
  }
}

}  // namespace
}  // namespace systolic::internal::kernels
