#include "systolic/platforms/report.h"

#include <gtest/gtest.h>

namespace systolic::internal::platforms {
namespace {

TEST(Report, MissingPlatformSaysWhatToType) {
  PlatformReport report;
  report.row = &find_row("cpu");
  report.search.looked = {"SYSTOLIC_PLATFORM_CPU (not set)", "/somewhere"};
  EXPECT_EQ(to_text(report),
            "cpu: this machine's processor\n"
            "  not installed\n"
            "  looked at SYSTOLIC_PLATFORM_CPU (not set)\n"
            "  looked at /somewhere\n"
            "  install   scripts/install-platform cpu");
}

TEST(Report, FoundPlatformSaysWhatItIs) {
  PlatformReport report;
  report.row = &find_row("cuda");
  report.search.found = {"/x/plugin.so", "0.11.2", "platform folder"};
  report.api_version = "0.115";
  report.stablehlo_version = "1.20.0";
  report.devices = {{"NVIDIA H100", int64_t{80} << 30},
                    {"NVIDIA H100", int64_t{80} << 30}};
  report.checked = "not yet: `systolic platforms cuda --check`";
  EXPECT_EQ(to_text(report),
            "cuda: NVIDIA's GPU\n"
            "  plugin    /x/plugin.so\n"
            "  found by  platform folder\n"
            "  version   0.11.2\n"
            "  speaks    PJRT C API 0.115, StableHLO 1.20.0\n"
            "  devices   2 x NVIDIA H100 with 80.0 GiB\n"
            "  checked   not yet: `systolic platforms cuda --check`");
}

TEST(Report, ProblemIsIndented) {
  PlatformReport report;
  report.row = &find_row("tpu");
  report.search.found = {"/x/libtpu.so", "", "path given"};
  report.problem = "no TPU\n  hint: none";
  EXPECT_EQ(to_text(report),
            "tpu: Google's TPU\n"
            "  plugin    /x/libtpu.so\n"
            "  found by  path given\n"
            "  problem   no TPU\n"
            "              hint: none");
}

TEST(Report, MemoryIsReadable) {
  EXPECT_EQ(memory_text(int64_t{16} << 30), "16.0 GiB");
  EXPECT_EQ(memory_text(int64_t{512} << 20), "512 MiB");
}

}  // namespace
}  // namespace systolic::internal::platforms
