// The judging of samples. The samples themselves are judged where they are:
// ops/contract_platform_test.cc.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "systolic/ops/ops.h"
#include "systolic/runtime/tpu_judge.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/judge_ops.h"

namespace systolic::contracts {
namespace {

using internal::graph::NoOptions;

std::string complaints(const OpSample& sample) {
  // What is refused here is meant to be.
  const systolic::testing::EnvironmentGuard no_report("SYSTOLIC_JUDGE_REPORT");
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::
            INTERCEPT_ONLY_CURRENT_THREAD,
        &results);
    judge_ops(std::span(&sample, 1));
  }
  std::string text;
  for (int i = 0; i < results.size(); ++i) {
    text += results.GetTestPartResult(i).message();
  }
  return text;
}

// A call of something that no platform has.
constexpr internal::graph::Op<> kUnknown{
    .name = "unknown",
    .infer = [](internal::graph::Infer& in,
                const NoOptions&) -> internal::graph::Specs { return in[0]; },
    .lower =
        [](internal::graph::Lower& l, const NoOptions&) {
          return l.e.statement("custom_call", l.inputs(),
                               std::span(&l.result(), 1),
                               "call_target_name = \"nobody_has_this\"");
        },
    .vjp = internal::graph::not_differentiable("it is only a test")};

TEST(JudgeOps, NamesTheSampleThatIsRefused) {
  const OpSample product{
      .op = "unknown",
      .name = "of two",
      .call =
          [](const Tensors& in) {
            return Tensors{internal::graph::record<kUnknown>(
                {in[0].ref()}, NoOptions{}, SourceLocation::current())};
          },
      .inputs = {Array::from({1., 2.})},
      .dtypes = {DType::float32},
      .gradient = false};
  const std::string text = complaints(product);
  if (internal::runtime::TpuJudge::chosen() == nullptr) {
    EXPECT_EQ(text, "");
    GTEST_SKIP() << "SYSTOLIC_JUDGE names no slice: see scripts/judge";
  }
  EXPECT_NE(text.find("unknown of two in float32: TPU v3-8: "),
            std::string::npos)
      << text;
}

TEST(JudgeOps, PassesWhatCompiles) {
  EXPECT_EQ(
      complaints({.op = "exp",
                  .call = [](const Tensors& in) { return Tensors{exp(in[0])}; },
                  .inputs = {Array::from({1., 2.})},
                  .replicated = true}),
      "");
}

}  // namespace
}  // namespace systolic::contracts
