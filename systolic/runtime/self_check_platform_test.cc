#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "systolic/runtime/self_check.h"
#include "systolic/testing/runtime_fixture.h"

namespace systolic::internal::runtime {
namespace {

constexpr std::array kFloat32{DType::float32};

class SelfCheckTest : public RuntimeTest {
 protected:
  CheckResult run(std::span<const SelfCheck> checks) {
    return self_check(
        client(), [this](std::string_view text) { said_ += text; }, checks);
  }

  std::string said_;
};

// f(x) = x + x on a float32[4], which is expected to be `expected`.
CheckCase doubling_case(std::vector<double> expected) {
  const TensorSpec spec{DType::float32, Shape{2, 2}};
  CheckCase made;
  made.program =
      "module @m { func.func public @main(%x: tensor<2x2xf32>) -> "
      "tensor<2x2xf32> { %0 = stablehlo.add %x, %x : tensor<2x2xf32> "
      "return %0 : tensor<2x2xf32> } }";
  made.inputs = {{Array::from({1.f, 2.f, 3.f, 4.f}, {2, 2})}};
  made.outputs = {{spec, std::move(expected)}};
  return made;
}

CheckCase right(DType, int) { return doubling_case({2, 4, 6, 8}); }
// As if the plugin's kernel were wrong in two elements.
CheckCase wrong(DType, int) { return doubling_case({2, 4, 6.5, 8.5}); }
CheckCase nan(DType, int) {
  CheckCase made = doubling_case({2, 4, 6, 8});
  made.inputs = {{Array::from({1.f, 2.f, NAN, 4.f}, {2, 2})}};
  return made;
}
CheckCase no_program(DType, int) {
  CheckCase made = doubling_case({2, 4, 6, 8});
  made.program = "module @m { func.func @main() { nonsense } }";
  return made;
}

TEST_F(SelfCheckTest, EveryCheckPassesOnThisPlatform) {
  const CheckResult result = run(self_checks());
  EXPECT_TRUE(result.plugin.passed()) << result.plugin.failure;
  EXPECT_GE(result.plugin.checks, 40) << said_;
  EXPECT_EQ(result.kernels.has_value(), client().has(Capability::ffi_kernels));
  if (result.kernels) {
    EXPECT_TRUE(result.kernels->passed()) << result.kernels->failure;
    EXPECT_EQ(result.kernels->checks, 2) << said_;
  }
  for (const char* line :
       {"matmul float32 ok\n", "convolution float32 ok\n",
        "convolution gradient of the input float64 ok\n",
        "convolution gradient of the filter bfloat16 ok\n", "sum float16 ok\n",
        "max int32 ok\n", "all_reduce bfloat16 ok\n", "while int32 ok\n",
        "convolution in while float32 ok\n"}) {
    EXPECT_NE(said_.find(line), std::string::npos) << line << said_;
  }
}

TEST_F(SelfCheckTest, WrongKernelIsFoundWithItsFirstWrongElement) {
  constexpr SelfCheck kChecks[] = {{"right", kFloat32, &right},
                                   {"wrong", kFloat32, &wrong},
                                   {"also wrong", kFloat32, &wrong}};
  const CheckResult result = run(kChecks);
  EXPECT_EQ(result.plugin.checks, 3);
  EXPECT_EQ(result.plugin.failed, "wrong float32");
  EXPECT_EQ(result.plugin.failure,
            "output 0, float32[2, 2], element [1, 0]: expected 6.5, got 6\n"
            "  inputs: float32[2, 2]");
  EXPECT_EQ(said_,
            "right float32 ok\nwrong float32 FAILED: " + result.plugin.failure +
                "\nalso wrong float32 FAILED: " + result.plugin.failure + "\n");
}

TEST_F(SelfCheckTest, NanIsNoSmallDifference) {
  constexpr SelfCheck kChecks[] = {{"nan", kFloat32, &nan}};
  EXPECT_EQ(run(kChecks).plugin.failed, "nan float32");
}

TEST_F(SelfCheckTest, ProgramThatDoesNotCompileIsAFailure) {
  constexpr SelfCheck kChecks[] = {{"nonsense", kFloat32, &no_program}};
  EXPECT_EQ(run(kChecks).plugin.failed, "nonsense float32");
}

TEST_F(SelfCheckTest, WrongKernelOfOursIsNotThePlugins) {
  if (!client().has_kernel("systolic_matmul")) {
    GTEST_SKIP() << "the kernels are not loaded";
  }
  constexpr SelfCheck kChecks[] = {
      {"right", kFloat32, &right},
      {"ours", kFloat32, &wrong, false, "systolic_matmul"},
      {"not there", kFloat32, &wrong, false, "systolic_no_such_kernel"}};
  const CheckResult result = run(kChecks);
  EXPECT_TRUE(result.plugin.passed());
  ASSERT_TRUE(result.kernels);
  EXPECT_EQ(result.kernels->failed, "ours float32");
  EXPECT_EQ(result.kernels->checks, 1);
}

}  // namespace
}  // namespace systolic::internal::runtime
