#include "systolic/plan/refusal.h"

#include <gtest/gtest.h>

namespace systolic::internal::plan {
namespace {

constexpr int64_t kMib = 1 << 20;
constexpr int64_t kGib = 1 << 30;

// The forms of libtpu 0.0.52 and of its predecessors.
constexpr std::string_view kShort =
    "PJRT_Compile: RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of "
    "memory on HBM, the total memory required for HLO temporaries (16.00G) "
    "exceeds available HBM (15.48G). HLO module: mm.\n"
    "See https://openxla.org/xla/errors/error_1000 for more details.";
constexpr std::string_view kUsed =
    "RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in "
    "memory space hbm. Used 30.21G of 15.48G hbm. Exceeded hbm capacity by "
    "14.73G.\n\n"
    "Total hbm usage >= 30.73G:\n"
    "    reserved        530.00M \n"
    "    program          14.31G \n"
    "    arguments        15.90G \n\n"
    "Output size 1.0K; shares 0B with arguments.\n\n"
    "Program hbm requirement 14.31G:\n"
    "    global           481.0K\n"
    "    HLO temp         14.31G (100.0% utilization: Unpadded (14.25G) Padded "
    "(14.25G), 0.4% fragmentation (62.60M))\n\n"
    "  Largest program allocations in hbm:\n\n"
    "  1. Size: 1.46G\n"
    "     Operator: op_name=\"embed/convert\" source_file=\"a.cc\" "
    "source_line=3\n"
    "     Shape: bf16[256000,3072]{1,0:T(8,128)(2,1)}\n"
    "     Unpadded size: 1.46G\n"
    "     XLA label: convert.15982 = convert(param.72)\n"
    "     ==========================\n\n"
    "  2. Size: 144.00M\n"
    "     Shape: bf16[3072,24576]{1,0:T(8,128)}\n"
    "     XLA label: copy.1 = copy(param.3)\n";

TEST(Refusal, ReadsSizes) {
  EXPECT_EQ(read_size("96B"), 96);
  EXPECT_EQ(read_size("1.5K"), 1536);
  EXPECT_EQ(read_size("512.0M"), 512 * kMib);
  EXPECT_EQ(read_size("2T"), 2048 * kGib);
  EXPECT_EQ(read_size("G"), std::nullopt);
  EXPECT_EQ(read_size("12"), std::nullopt);
  EXPECT_EQ(read_size("12GiB"), std::nullopt);
}

// 16 GiB is what arguments, results and temporaries of that program take.
TEST(Refusal, ReadsTheShortForm) {
  const std::optional<Refusal> refusal = read_refusal(kShort);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->wanted, 16 * kGib);
  EXPECT_EQ(refusal->temporaries, 0);
  EXPECT_NEAR(static_cast<double>(refusal->available) / kGib, 15.48, 1e-6);
  EXPECT_EQ(refusal->line,
            "Ran out of memory on HBM, the total memory required for HLO "
            "temporaries (16.00G) exceeds available HBM (15.48G). HLO module: "
            "mm.");
  EXPECT_TRUE(refusal->largest.empty());
}

TEST(Refusal, ReadsTheLongForm) {
  const std::optional<Refusal> refusal = read_refusal(kUsed);
  ASSERT_TRUE(refusal);
  EXPECT_NEAR(static_cast<double>(refusal->wanted) / kGib, 30.21, 1e-6);
  EXPECT_NEAR(static_cast<double>(refusal->available) / kGib, 15.48, 1e-6);
  EXPECT_NEAR(static_cast<double>(refusal->temporaries) / kGib, 14.31, 1e-6);
  EXPECT_NEAR(static_cast<double>(refusal->arguments) / kGib, 15.90, 1e-6);
  EXPECT_EQ(refusal->line,
            "Ran out of memory in memory space hbm. Used 30.21G of 15.48G hbm. "
            "Exceeded hbm capacity by 14.73G.");
  ASSERT_EQ(refusal->largest.size(), 2u);
  EXPECT_EQ(refusal->largest[0].name, "embed/convert");
  EXPECT_EQ(refusal->largest[0].shape, "bf16[256000,3072]");
  EXPECT_EQ(refusal->largest[1].bytes, 144 * kMib);
  EXPECT_EQ(refusal->largest[1].name, "copy.1");
}

TEST(Refusal, OtherErrorsAreNone) {
  EXPECT_FALSE(read_refusal("PJRT_Compile: UNIMPLEMENTED: no int64 dot"));
  EXPECT_FALSE(
      read_refusal("Ran out of memory in memory space vmem. Used "
                   "20M of 16M vmem."));
}

}  // namespace
}  // namespace systolic::internal::plan
