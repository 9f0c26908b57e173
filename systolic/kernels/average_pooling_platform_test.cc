#include <gtest/gtest.h>

#include "systolic/kernels/test_average_poolings.h"
#include "systolic/kernels/test_runner.h"

namespace systolic::internal::kernels {
namespace {

using Floats = std::vector<float>;

void expect_near(const Floats& got, const Floats& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], 1e-5f) << "at " << i;
  }
}

class AveragePoolingPlatformTest
    : public ::testing::TestWithParam<PoolingCase> {};

TEST_P(AveragePoolingPlatformTest, EqualsStableHlo) {
  for (const auto make :
       {&average_pooling_step, &average_pooling_gradient_step}) {
    const Step handler = make(GetParam(), Form::handler, {});
    const auto inputs = random_inputs(handler);
    for (int loops : {0, 3}) {
      expect_near(
          Runner(handler, loops).run(inputs)[0][0],
          Runner(make(GetParam(), Form::twin, {}), loops).run(inputs)[0][0]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, AveragePoolingPlatformTest,
                         ::testing::ValuesIn(pooling_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(AveragePoolingReplicasTest, EightAtOnceEqualOne) {
  const PoolingCase c{.name = "",
                      .input = {25, 26, 26, 32},
                      .window = {3, 3},
                      .strides = {1, 1},
                      .low = {1, 1},
                      .high = {1, 1}};
  for (const Step& step :
       {average_pooling_step(c, Form::handler, {.threads = 1}),
        average_pooling_gradient_step(c, Form::handler, {.threads = 1})}) {
    const auto inputs = random_inputs(step);
    const auto alone = Runner(step).run(inputs)[0];
    Runner eight(step, 0, 8);
    for (int repetition = 0; repetition < 5; ++repetition) {
      for (const auto& replica : eight.run(inputs)) {
        ASSERT_TRUE(replica == alone);
      }
    }
  }
}

}  // namespace
}  // namespace systolic::internal::kernels
