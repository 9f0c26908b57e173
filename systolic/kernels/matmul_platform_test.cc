#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "systolic/kernels/test_programs.h"
#include "systolic/kernels/test_runner.h"

namespace systolic::internal::kernels {
namespace {

// x[..., k, m] transposed times y[..., k, n], as a handler's call or as a
// dot_general.
Step product_step(Dimensions batch, std::array<int64_t, 3> mkn, Form form,
                  int64_t threads) {
  const auto matrix = [&](int64_t rows, int64_t columns) {
    Dimensions sizes = batch;
    sizes.push_back(rows);
    sizes.push_back(columns);
    return sizes;
  };
  const auto [m, k, n] = mkn;
  Step step{{matrix(k, m), matrix(k, n)}, {matrix(m, n)}, ""};
  if (form == Form::handler) {
    step.body = call_of(
        "systolic_matmul",
        "transpose_x = true, threads = " + std::to_string(threads) + " : i64",
        step.inputs, step.outputs);
    return step;
  }
  const std::string rows = std::to_string(batch.size());
  const std::string axes = batch.empty() ? "" : "batching_dims = [0] x [0], ";
  step.body =
      line("%r0",
           "dot_general %a0, %a1, " + axes + "contracting_dims = [" + rows +
               "] x [" + rows + "]",
           "(" + types_of(step.inputs) + ") -> " + type_of(step.outputs[0]));
  return step;
}

TEST(MatmulPlatformTest, AgreesWithStableHlo) {
  const std::pair<Dimensions, std::array<int64_t, 3>> cases[] = {
      {{}, {1, 1, 1}},        {{}, {784, 32, 128}}, {{}, {1600, 50, 10}},
      {{}, {513, 1001, 129}}, {{5}, {64, 33, 17}},  {{3}, {257, 128, 255}}};
  for (const auto& [batch, mkn] : cases) {
    const Step handler = product_step(batch, mkn, Form::handler, 0);
    const auto inputs = random_inputs(handler);
    for (int loops : {0, 3}) {
      const auto got = Runner(handler, loops).run(inputs)[0][0];
      const auto expected =
          Runner(product_step(batch, mkn, Form::twin, 0), loops)
              .run(inputs)[0][0];
      ASSERT_EQ(got.size(), expected.size());
      const float scale = 1.f + std::sqrt(static_cast<float>(mkn[1]));
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], expected[i], 1e-5f * scale) << "at " << i;
      }
    }
  }
}

TEST(MatmulPlatformTest, EightAtOnceAreBitIdenticalToOne) {
  const Step step = product_step({}, {784, 25, 128}, Form::handler, 1);
  const auto inputs = random_inputs(step);
  const auto alone = Runner(step).run(inputs)[0];
  Runner eight(step, 0, 8);
  for (int repetition = 0; repetition < 5; ++repetition) {
    for (const auto& replica : eight.run(inputs)) {
      ASSERT_TRUE(replica == alone);
    }
  }
}

}  // namespace
}  // namespace systolic::internal::kernels
