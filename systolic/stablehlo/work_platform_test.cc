// Our count of a program's work beside the TPU compiler's.
#include <gtest/gtest.h>

#include "systolic/pjrt/compile_options.h"
#include "systolic/pjrt/topology.h"
#include "systolic/platforms/platform.h"
#include "systolic/platforms/search.h"
#include "systolic/stablehlo/emitter.h"
#include "systolic/stablehlo/work.h"

namespace systolic::internal::stablehlo {
namespace {

constexpr int64_t kSize = 512;
constexpr double kFlops = 2.0 * kSize * kSize * kSize;
const TensorSpec kMatrix{DType::float32, Shape{kSize, kSize}};
const TensorSpec kIndex{DType::int32, Shape::scalar()};

// x, multiplied with itself 50 times, or as often as an argument says.
std::string powers(bool is_known) {
  Emitter e("main");
  const Value x = e.argument(kMatrix);
  const Value turns =
      is_known ? e.splat_integer(kIndex, 50) : e.argument(kIndex);
  const std::vector<Value> initial{e.splat_integer(kIndex, 0), x};
  const int64_t one[] = {1}, zero[] = {0};
  const Value y = e.while_loop(
      initial,
      [&](auto now) {
        return std::vector<Value>{e.compare("LT", now[0], turns)};
      },
      [&](auto now) {
        const Value next = e.binary("add", now[0], e.splat_integer(kIndex, 1));
        return std::vector<Value>{
            next, e.dot_general(now[1], x, {}, {}, one, zero, DType::float32)};
      })[1];
  e.finish({&y, 1});
  return e.module();
}

class WorkPlatformTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!platforms::search(platforms::find_row("tpu")).found) {
      GTEST_SKIP() << "libtpu is not installed: scripts/install-platform tpu";
    }
  }
  // As libtpu estimates it for a v3.
  static double estimated_flops(const std::string& text) {
    const auto& plugin = platforms::Platform::load("tpu").plugin();
    return pjrt::Topology::create(plugin, "v3:2x2x1")
        .compile(text, pjrt::encode({}))
        .cost()
        .flops.value();
  }
};

// Why estimates of the compiler are multiplied with the turns of loops.
TEST_F(WorkPlatformTest, CompilerCountsOneTurnOfALoop) {
  for (const bool is_known : {false, true}) {
    const std::string text = powers(is_known);
    EXPECT_EQ(work_of(text).flops_once, kFlops);
    EXPECT_NEAR(estimated_flops(text) / kFlops, 1, 0.01) << is_known;
  }
  EXPECT_EQ(work_of(powers(true)).amount.flops, 50 * kFlops);
}

TEST_F(WorkPlatformTest, ConvolutionsAreThoseOfTheCompiler) {
  Emitter e("main");
  const Value x = e.argument({DType::float32, Shape{8, 30, 30, 64}});
  const Value w = e.argument({DType::float32, Shape{3, 3, 64, 128}});
  const Value y = e.convolution(x, w,
                                {.size = {3, 3},
                                 .strides = {2, 2},
                                 .padding = {{1, 1}, {1, 1}},
                                 .base_dilation = {},
                                 .window_dilation = {}},
                                Shape{8, 15, 15, 128});
  e.finish({&y, 1});
  const double flops = work_of(e.module()).amount.flops;
  EXPECT_NEAR(estimated_flops(e.module()) / flops, 1, 0.01);
}

}  // namespace
}  // namespace systolic::internal::stablehlo
