#include <gtest/gtest.h>

#include <sstream>

#include "systolic/base/error.h"
#include "systolic/base/out.h"
#include "tools/command.h"

namespace systolic::tools {
namespace {

// What a command line prints.
std::string run(const std::string& line) {
  std::ostringstream text;
  const OutputGuard guard(text);
  CLI::App app;
  add_platforms(app);
  add_devices(app);
  app.parse(line);
  return text.str();
}

TEST(CommandPlatformTest, PlatformsSaysWhatIsThereAndWhatToType) {
  const std::string text = run("platforms");
  EXPECT_NE(text.find("cpu: this machine's processor\n  plugin    "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("PJRT C API 0."), std::string::npos) << text;
  EXPECT_NE(text.find("tpu: Google's TPU\n"), std::string::npos) << text;
  EXPECT_NE(text.find("cuda: NVIDIA's GPU\n"), std::string::npos) << text;
}

TEST(CommandPlatformTest, PlatformsOfOneName) {
  const std::string text = run("platforms cpu");
  EXPECT_NE(text.find("  devices   1 x cpu"), std::string::npos) << text;
  EXPECT_EQ(text.find("cuda"), std::string::npos) << text;
  EXPECT_THROW(run("platforms gpu"), NotFoundError);
}

TEST(CommandPlatformTest, DevicesOfARehearsal) {
  const std::string text = run("devices --tpu virtual:v3-8");
  EXPECT_TRUE(text.starts_with(
      "virtual:v3-8: a rehearsal on this machine of 4 TPU v3 chips, 8 cores\n"
      "  TPU:0  on cpu:0\n"))
      << text;
  EXPECT_NE(text.find("  TPU:7  on cpu:7\n"), std::string::npos) << text;
  EXPECT_NE(text.find("each device of a real v3-8 has 16.0 GiB"),
            std::string::npos)
      << text;
}

TEST(CommandPlatformTest, DevicesOfThisMachine) {
  EXPECT_NE(run("devices").find("cpu:0  cpu\n"), std::string::npos);
}

TEST(CommandPlatformTest, NameThatIsNoTpuIsRefused) {
  EXPECT_THROW(run("devices --tpu v3"), ValueError);
  EXPECT_THROW(run("devices --tpu virtual:v9-8"), ValueError);
  EXPECT_THROW(run("devices --tpu grpc://10.0.0.2:8470"), ValueError);
}

}  // namespace
}  // namespace systolic::tools
