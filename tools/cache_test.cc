#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "systolic/base/out.h"
#include "systolic/runtime/kept_program.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"
#include "tools/command.h"

namespace systolic::tools {
namespace {

using systolic::testing::EnvironmentGuard;
using systolic::testing::TemporaryFolder;

class CacheCommandTest : public ::testing::Test {
 protected:
  // What a command line prints.
  static std::string run(const std::string& line) {
    std::ostringstream text;
    const OutputGuard guard(text);
    CLI::App app;
    add_cache(app);
    app.parse(line);
    return text.str();
  }

  const TemporaryFolder folder_;

 private:
  const EnvironmentGuard cache_{"SYSTOLIC_CACHE", folder_.path().string()};
};

TEST_F(CacheCommandTest, LsHasALineForEachProgram) {
  const auto files = internal::runtime::program_files();
  files->keep(std::string(64, 'a'), {.platform = "cpu", .name = "3 operations"},
              std::string(2000, 'p'));
  std::ofstream(folder_.path() / (std::string(64, 'b') + ".program")) << "x";
  const std::string text = run("cache ls");
  EXPECT_TRUE(
      text.starts_with("      size     made  last use  platform  program\n"))
      << text;
  EXPECT_NE(text.find("   2.1 KiB  "), std::string::npos) << text;
  EXPECT_NE(text.find("  cpu       3 operations\n"), std::string::npos) << text;
  EXPECT_NE(text.find("       1 B        ?  "), std::string::npos) << text;
  EXPECT_NE(text.find("  ?         damaged\n"), std::string::npos) << text;
  EXPECT_NE(text.find("2 programs, 2.1 KiB in " + folder_.path().string()),
            std::string::npos)
      << text;
}

TEST_F(CacheCommandTest, ClearSaysHowMuchWentAway) {
  const auto files = internal::runtime::program_files();
  files->keep(std::string(64, 'a'), {}, std::string(3 << 20, 'p'));
  EXPECT_EQ(run("cache clear"), "removed 1 program, 3.0 MiB from " +
                                    folder_.path().string() + "\n");
  EXPECT_TRUE(files->list().empty());
  EXPECT_EQ(run("cache ls"),
            "0 programs, 0 B in " + folder_.path().string() + "\n");
}

TEST_F(CacheCommandTest, OffIsSaid) {
  const EnvironmentGuard off("SYSTOLIC_CACHE", "off");
  for (const char* line : {"cache ls", "cache clear"}) {
    EXPECT_EQ(run(line), "The program cache is off: SYSTOLIC_CACHE says so.\n");
  }
}

TEST_F(CacheCommandTest, HelpNamesTheCommands) {
  CLI::App app;
  add_cache(app);
  const std::string help = app.get_subcommand("cache")->help();
  EXPECT_NE(help.find("ls "), std::string::npos) << help;
  EXPECT_NE(help.find("clear "), std::string::npos) << help;
  EXPECT_THROW(run("cache"), CLI::RequiredError);
}

}  // namespace
}  // namespace systolic::tools
