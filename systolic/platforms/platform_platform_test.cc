#include "systolic/platforms/platform.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/platforms/verdict.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal::platforms {
namespace {

TEST(PlatformPlatformTest, IsLoadedOnce) {
  Platform* first = nullptr;
  std::thread other([&] { first = &Platform::load("cpu"); });
  Platform* second = &Platform::load("cpu");
  other.join();
  EXPECT_EQ(first, second);
  EXPECT_EQ(second->row().name, "cpu");
  EXPECT_TRUE(std::filesystem::exists(second->found().path));
}

TEST(PlatformPlatformTest, QuietUnlessTheUserWantsToHear) {
  Platform::load("cpu");
  EXPECT_NE(std::getenv("TF_CPP_MIN_LOG_LEVEL"), nullptr);
}

TEST(PlatformPlatformTest, ShowsTheDevicesAskedFor) {
  const Platform& cpu = Platform::load("cpu");
  EXPECT_TRUE(cpu.has(Capability::virtual_devices));
  EXPECT_EQ(cpu.create_client(8).devices().size(), 8u);
}

TEST(PlatformPlatformTest, CapabilityOfKernelsIsWhatWasLoaded) {
  const Platform& cpu = Platform::load("cpu");
  EXPECT_EQ(cpu.has(Capability::ffi_kernels), !cpu.kernels().names.empty());
  EXPECT_EQ(cpu.kernels().names.empty(), !cpu.kernels().problem.empty());
  EXPECT_FALSE(cpu.has_kernel("no_such_kernel"));
}

TEST(PlatformPlatformTest, LibraryThatDoesNotLoadSaysHowToGetOneThatDoes) {
  const systolic::testing::TemporaryFolder folder;
  const std::string path = folder.path() / "broken_plugin.so";
  std::ofstream(path) << "text";
  try {
    Platform::load("cpu", path);
    FAIL() << "nothing was thrown";
  } catch (const PlatformError& error) {
    EXPECT_EQ(std::string(error.what()),
              "plugin " + path +
                  ": the library does not load\n  loader: " + path +
                  ": file too short\n  found by: path given\n  hint: "
                  "`scripts/install-platform cpu` installs this platform with "
                  "what it needs");
  }
}

TEST(PlatformPlatformTest, PathThatIsNotThereIsNamed) {
  try {
    Platform::load("cpu", "nowhere.so");
    FAIL() << "nothing was thrown";
  } catch (const NotFoundError& error) {
    EXPECT_NE(std::string(error.what()).find("looked at: nowhere.so"),
              std::string::npos);
  }
}

// A plugin that the self-test found wrong: the real one by another name.
class RefusedPluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const SearchResult real = search(find_row("cpu"));
    ASSERT_TRUE(real.found);
    std::filesystem::create_symlink(real.found->path, path_);
    ASSERT_TRUE(write_verdict(plugin_identity(path_),
                              {.checks = 3,
                               .failed = "matmul float16",
                               .failure = "element [0, 1]: 2, not 3"}));
    before_ = set_log_sink(
        [this](LogLevel, std::string_view line) { lines_.emplace_back(line); });
  }
  void TearDown() override { set_log_sink(before_); }

  const systolic::testing::TemporaryFolder folder_;
  const std::string path_ = (folder_.path() / "refused.so").string();
  std::vector<std::string> lines_;

 private:
  const systolic::testing::EnvironmentGuard cache_{"XDG_CACHE_HOME",
                                                   folder_.path().string()};
  LogSink before_;
};

TEST_F(RefusedPluginTest, SaysWhatFailedAndWhatToDo) {
  const auto verdict = read_verdict(plugin_identity(path_));
  ASSERT_TRUE(verdict);
  const systolic::testing::EnvironmentGuard none("SYSTOLIC_FORCE_PLATFORM");
  EXPECT_EQ(
      text_of<PlatformError>([&] { Platform::load("cpu", path_); }),
      "platform \"cpu\": expected a plugin that computes what it should, got "
      "one that failed its self-test: matmul float16\n"
      "  failure: element [0, 1]: 2, not 3\n"
      "  checked: " +
          time_text(verdict->when) + "\n  plugin: " + path_ +
          "\n  hint: install another plugin (scripts/install-platform cpu); "
          "`systolic platforms cpu --check --again` checks this one again; "
          "SYSTOLIC_FORCE_PLATFORM=cpu uses it all the same");
  EXPECT_TRUE(lines_.empty());
}

TEST_F(RefusedPluginTest, IsUsedWithAWarningWhereItIsForced) {
  const systolic::testing::EnvironmentGuard force("SYSTOLIC_FORCE_PLATFORM",
                                                  "cpu");
  EXPECT_EQ(Platform::load("cpu", path_).found().path, path_);
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_EQ(lines_[0],
            "platform \"cpu\": the plugin failed matmul float16 of its "
            "self-test and is used all the same, as SYSTOLIC_FORCE_PLATFORM "
            "says: " +
                path_);
}

TEST_F(RefusedPluginTest, IsLoadedForTheSelfTest) {
  EXPECT_EQ(Platform::load_unchecked("cpu", path_).found().path, path_);
  EXPECT_TRUE(lines_.empty());
}

TEST_F(RefusedPluginTest, OnlyKernelsAreRefusedThatFailedAlone) {
  ASSERT_TRUE(write_verdict(plugin_identity(path_), {.checks = 3}));
  const std::string kernels = Platform::load("cpu").kernels().path;
  if (Platform::load("cpu").kernels().names.empty()) {
    GTEST_SKIP() << "the kernels are not loaded";
  }
  ASSERT_TRUE(write_verdict(kernels_identity(path_, kernels),
                            {.failed = "kernel convolution float32"}));
  const Platform& platform = Platform::load("cpu", path_);
  EXPECT_FALSE(platform.has(Capability::ffi_kernels));
  EXPECT_TRUE(
      platform.kernels().problem.starts_with("they failed their self-test on "))
      << platform.kernels().problem;
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_NE(lines_[0].find("our kernels are not used"), std::string::npos);
}

TEST(PlatformPlatformTest, CompilerSettingsAreTheRows) {
  const Platform& cpu = Platform::load("cpu");
  EXPECT_EQ(cpu.compiler_settings().size(), cpu.row().compiler_settings.size());
  EXPECT_EQ(cpu.one_run_settings().size(), cpu.row().one_run_settings.size());
}

}  // namespace
}  // namespace systolic::internal::platforms
