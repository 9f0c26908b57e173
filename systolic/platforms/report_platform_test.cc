#include <gtest/gtest.h>

#include "systolic/platforms/report.h"

namespace systolic::internal::platforms {
namespace {

TEST(ReportPlatformTest, CpuIsFoundAndAsked) {
  const PlatformReport report = make_report(find_row("cpu"));
  EXPECT_EQ(report.problem, "");
  EXPECT_TRUE(report.api_version.starts_with("0."));
  ASSERT_EQ(report.devices.size(), 1u);
  EXPECT_EQ(report.devices[0].kind, "cpu");
  EXPECT_NE(
      to_text(report).find("1 x cpu, shown as many as a program asks for"),
      std::string::npos);
}

}  // namespace
}  // namespace systolic::internal::platforms
