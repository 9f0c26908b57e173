#include "systolic/platforms/kernels.h"

#include <gtest/gtest.h>

#include <fstream>

#include "systolic/base/log.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/fake_pjrt.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal::platforms {
namespace {

using pjrt::FakeApi;
using systolic::testing::EnvironmentGuard;
using systolic::testing::TemporaryFolder;

// A plugin that takes handlers.
class KernelsTest : public ::testing::Test {
 protected:
  KernelsTest() : variable_("SYSTOLIC_KERNELS_CPU") {
    ffi_.base = {sizeof(ffi_), pjrt::abi::ExtensionType::ffi, nullptr};
    fake_.api()->extension_start = &ffi_.base;
    before_ = set_log_sink(
        [this](LogLevel, std::string_view text) { logged_ += text; });
  }
  ~KernelsTest() override { set_log_sink(before_); }

  pjrt::Plugin plugin() { return pjrt::Plugin::adopt(fake_.api(), "fake"); }

  FakeApi fake_;
  pjrt::abi::FfiExtension ffi_{};
  std::string logged_;

 private:
  EnvironmentGuard variable_;
  LogSink before_;
};

TEST_F(KernelsTest, OffMeansNotAtAll) {
  const EnvironmentGuard off("SYSTOLIC_KERNELS_CPU", "off");
  EXPECT_TRUE(kernel_candidates(find_row("cpu")).empty());
  const KernelLibrary kernels = load_kernels(find_row("cpu"), plugin());
  EXPECT_TRUE(kernels.names.empty());
  EXPECT_EQ(kernels.problem,
            "no kernel library was found, or SYSTOLIC_KERNELS_CPU is off");
}

TEST_F(KernelsTest, VariableIsTheOnlyPlaceLookedAt) {
  const EnvironmentGuard here("SYSTOLIC_KERNELS_CPU", "/x/kernels.so");
  EXPECT_EQ(kernel_candidates(find_row("cpu")),
            (std::vector<std::string>{"/x/kernels.so"}));
}

TEST_F(KernelsTest, LookedForBesideTheProgramFirst) {
  const std::vector<std::string> places = kernel_candidates(find_row("cpu"));
  ASSERT_GE(places.size(), 2u);
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(std::filesystem::path(places[0]).parent_path(),
            program.parent_path());
  EXPECT_EQ(std::filesystem::path(places[1]).parent_path(),
            program.parent_path().parent_path() / "lib");
}

TEST_F(KernelsTest, PlatformWithoutCustomCallsHasNone) {
  const KernelLibrary kernels = load_kernels(find_row("tpu"), plugin());
  EXPECT_EQ(kernels.problem, "the platform has no custom calls");
}

TEST_F(KernelsTest, OldPluginHasNone) {
  fake_.api()->extension_start = nullptr;
  const KernelLibrary kernels = load_kernels(find_row("cpu"), plugin());
  EXPECT_EQ(kernels.problem, "the plugin is too old for typed custom calls");
}

TEST_F(KernelsTest, LibraryThatDoesNotLoadIsLoggedWithTheReason) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "broken_kernels.so";
  std::ofstream(path) << "text";
  const EnvironmentGuard here("SYSTOLIC_KERNELS_CPU", path);
  const KernelLibrary kernels = load_kernels(find_row("cpu"), plugin());
  EXPECT_TRUE(kernels.names.empty());
  EXPECT_EQ(kernels.problem, path + ": file too short");
  EXPECT_NE(logged_.find("convolutions will be slow"), std::string::npos);
}

}  // namespace
}  // namespace systolic::internal::platforms
