#include "systolic/runtime/machine.h"

#include <gtest/gtest.h>

#include <sstream>

#include "systolic/testing/environment_guard.h"

namespace systolic::internal::runtime {
namespace {

using systolic::testing::EnvironmentGuard;

std::string identity(const std::string& cpuinfo) {
  std::istringstream stream(cpuinfo);
  return processor_identity(stream);
}

TEST(MachineTest, ProcessorIsItsKindAndFeatures) {
  const std::string one =
      "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel\t\t: 17\n"
      "cpu MHz\t\t: 2000.1\nflags\t\t: fpu avx avx2\n\n"
      "processor\t: 1\nvendor_id\t: AuthenticAMD\n";
  EXPECT_EQ(identity(one),
            "vendor_id\t: AuthenticAMD\nmodel\t\t: 17\n"
            "flags\t\t: fpu avx avx2\n");
  EXPECT_EQ(identity(""), "");
  EXPECT_EQ(identity("no colon\n:\n"), "");
}

TEST(MachineTest, IdentityIsTheSameAtEachCallAndNamesTheProcessor) {
  EXPECT_EQ(machine_identity(), machine_identity());
  EXPECT_NE(machine_identity().find("processors: "), std::string::npos);
}

TEST(MachineTest, VariablesOfPluginsBelongToIt) {
  const EnvironmentGuard unset("XLA_FLAGS");
  const std::string before = machine_identity();
  {
    const EnvironmentGuard flags("XLA_FLAGS", "--xla_dump_to=x");
    EXPECT_NE(machine_identity().find("XLA_FLAGS=--xla_dump_to=x\n"),
              std::string::npos);
  }
  const EnvironmentGuard other("SYSTOLIC_TEST_OTHER", "1");
  EXPECT_EQ(machine_identity(), before);
}

}  // namespace
}  // namespace systolic::internal::runtime
