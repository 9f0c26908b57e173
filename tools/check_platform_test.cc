#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "systolic/base/error.h"
#include "systolic/base/out.h"
#include "systolic/platforms/platform.h"
#include "systolic/platforms/search.h"
#include "systolic/platforms/verdict.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"
#include "tools/check.h"
#include "tools/child.h"
#include "tools/command.h"

namespace systolic::tools {
namespace {

namespace platforms = internal::platforms;
using systolic::testing::EnvironmentGuard;
using systolic::testing::TemporaryFolder;

// With a cache folder of its own, so that nothing is remembered.
class CheckCommandTest : public ::testing::Test {
 protected:
  // What a command line prints, and "exit 1" below where it says so.
  static std::string run(const std::string& line) {
    std::ostringstream text;
    const OutputGuard guard(text);
    CLI::App app;
    add_platforms(app);
    try {
      app.parse(line);
    } catch (const CLI::RuntimeError& error) {
      text << "exit " << error.get_exit_code() << "\n";
    }
    return text.str();
  }

  const TemporaryFolder folder_;
  const std::string plugin_ =
      platforms::search(platforms::find_row("cpu")).found.value().path;
  const std::string identity_ = platforms::plugin_identity(plugin_);

 private:
  const EnvironmentGuard cache_{"XDG_CACHE_HOME", folder_.path().string()};
};

TEST_F(CheckCommandTest, PassesAndIsRemembered) {
  const std::string text = run("platforms cpu --check");
  EXPECT_TRUE(text.starts_with("cpu: " + plugin_ + "\nmatmul float32 ok\n"))
      << text;
  EXPECT_NE(text.find("remembered in " +
                      platforms::verdict_file(identity_).string() + "\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("FAILED"), std::string::npos) << text;
  EXPECT_EQ(text.find("exit"), std::string::npos) << text;
  const auto verdict = platforms::read_verdict(identity_);
  ASSERT_TRUE(verdict);
  EXPECT_TRUE(verdict->passed());

  const std::string second = run("platforms cpu --check");
  EXPECT_NE(second.find("the plugin passed " + std::to_string(verdict->checks) +
                        " checks on " + platforms::time_text(verdict->when)),
            std::string::npos)
      << second;
  EXPECT_EQ(second.find("matmul"), std::string::npos) << second;
  EXPECT_NE(run("platforms cpu --check --again").find("matmul float32 ok\n"),
            std::string::npos);
}

TEST_F(CheckCommandTest, RefusedPluginIsSaidAndIsNotLoadedByAnotherProcess) {
  ASSERT_TRUE(platforms::write_verdict(
      identity_,
      {.checks = 9, .failed = "while int32", .failure = "element [3]: 1"}));
  const EnvironmentGuard kernels("SYSTOLIC_KERNELS_CPU", "off");
  const auto load = [] {
    platforms::Platform::load("cpu");
    return std::string("loaded");
  };
  const ChildResult refused = run_in_child(load, 60);
  EXPECT_NE(refused.problem.find("failed its self-test: while int32\n"
                                 "  failure: element [3]: 1\n"),
            std::string::npos)
      << refused.problem;
  {
    const EnvironmentGuard force("SYSTOLIC_FORCE_PLATFORM", "cpu");
    EXPECT_EQ(run_in_child(load, 60).text, "loaded");
  }
  const std::string text = run("platforms cpu --check");
  EXPECT_NE(text.find("the plugin failed while int32 on "), std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("exit 1\n")) << text;
  EXPECT_NE(run("platforms cpu").find("  checked   failed while int32 on "),
            std::string::npos);
  // Checked again it is right, and is not refused any more.
  EXPECT_EQ(run("platforms cpu --check --again").find("exit"),
            std::string::npos);
  EXPECT_EQ(run_in_child(load, 60).text, "loaded");
}

TEST_F(CheckCommandTest, PluginThatDoesNotLoadIsSaid) {
  const EnvironmentGuard other("SYSTOLIC_PLATFORM_CPU", "/proc/self/exe");
  const std::string text = run("platforms cpu --check");
  EXPECT_NE(text.find("plugin /proc/self/exe: "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("exit 1\n")) << text;
  EXPECT_FALSE(platforms::has_verdicts());
}

TEST_F(CheckCommandTest, PlatformThatIsNotInstalledIsAnError) {
  const EnvironmentGuard nowhere("SYSTOLIC_PLATFORM_CUDA", "/nowhere.so");
  EXPECT_THROW(run("platforms cuda --check"), NotFoundError);
  EXPECT_THROW(run("platforms cpu --again"), CLI::RequiresError);
}

TEST_F(CheckCommandTest, HelpSaysIt) {
  CLI::App app;
  add_platforms(app);
  const std::string help = app.get_subcommand("platforms")->help();
  EXPECT_NE(help.find("--check"), std::string::npos) << help;
  EXPECT_NE(help.find("--again"), std::string::npos) << help;
}

}  // namespace
}  // namespace systolic::tools
