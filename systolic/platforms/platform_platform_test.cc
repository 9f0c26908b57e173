#include "systolic/platforms/platform.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "systolic/base/error.h"
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

TEST(PlatformPlatformTest, CompilerSettingsAreTheRows) {
  const Platform& cpu = Platform::load("cpu");
  EXPECT_EQ(cpu.compiler_settings().size(), cpu.row().compiler_settings.size());
}

}  // namespace
}  // namespace systolic::internal::platforms
