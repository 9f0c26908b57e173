#include "systolic/runtime/kept_program.h"

#include <gtest/gtest.h>

#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal::runtime {
namespace {

using systolic::testing::EnvironmentGuard;
using systolic::testing::TemporaryFolder;

TEST(KeptProgramTest, BytesWithUnits) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("123"), 123U);
  EXPECT_EQ(parse_bytes("123 B"), 123U);
  EXPECT_EQ(parse_bytes("2K"), 2048U);
  EXPECT_EQ(parse_bytes("500 MB"), 500U << 20);
  EXPECT_EQ(parse_bytes("2gib"), uint64_t{2} << 30);
  EXPECT_EQ(parse_bytes("1T"), uint64_t{1} << 40);
  for (const char* text : {"", "M", "-1", "1.5G", "2X", "2GiBs", "2Gi", "2iB",
                           "99999999999999999999", "9999999999T"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
  }
}

TEST(KeptProgramTest, VariablesSayWhereProgramsAre) {
  const EnvironmentGuard xdg("XDG_CACHE_HOME", "/fast");
  {
    const EnvironmentGuard cache("SYSTOLIC_CACHE");
    EXPECT_EQ(program_files()->folder(), "/fast/systolic/programs");
  }
  {
    const EnvironmentGuard cache("SYSTOLIC_CACHE", "");
    EXPECT_EQ(program_files()->folder(), "/fast/systolic/programs");
  }
  {
    const EnvironmentGuard cache("SYSTOLIC_CACHE", "/of/a/team");
    EXPECT_EQ(program_files()->folder(), "/of/a/team");
  }
  const EnvironmentGuard cache("SYSTOLIC_CACHE", "off");
  EXPECT_FALSE(program_files());
}

TEST(KeptProgramTest, SizeIsTheVariables) {
  const TemporaryFolder folder;
  const EnvironmentGuard cache("SYSTOLIC_CACHE", folder.path().string());
  const EnvironmentGuard size("SYSTOLIC_CACHE_SIZE", "1K");
  const std::string key(64, 'a');
  program_files()->keep(key, {}, std::string(1025, 'p'));
  EXPECT_TRUE(program_files()->list().empty());
  program_files()->keep(key, {}, "small");
  EXPECT_EQ(program_files()->list().size(), 1U);
}

TEST(KeptProgramTest, SizeThatIsNoneIsTheDefault) {
  const TemporaryFolder folder;
  const EnvironmentGuard cache("SYSTOLIC_CACHE", folder.path().string());
  const EnvironmentGuard size("SYSTOLIC_CACHE_SIZE", "much");
  program_files()->keep(std::string(64, 'a'), {}, std::string(1025, 'p'));
  EXPECT_EQ(program_files()->list().size(), 1U);
}

}  // namespace
}  // namespace systolic::internal::runtime
