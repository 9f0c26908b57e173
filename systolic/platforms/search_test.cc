#include "systolic/platforms/search.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "systolic/base/error.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal::platforms {
namespace {

namespace fs = std::filesystem;
using systolic::testing::EnvironmentGuard;
using systolic::testing::TemporaryFolder;

// A home without any plugin; tests put files into it.
class SearchTest : public ::testing::Test {
 protected:
  SearchTest()
      : plugin_("SYSTOLIC_PLATFORM_CPU"),
        data_("XDG_DATA_HOME", (root_ / "data").string()),
        home_("HOME", (root_ / "home").string()),
        environment_("VIRTUAL_ENV", (root_ / "venv").string()),
        conda_("CONDA_PREFIX"),
        path_("PATH", (root_ / "bin").string()) {}

  std::string put(const std::string& path) const {
    const fs::path full = root_ / path;
    fs::create_directories(full.parent_path());
    std::ofstream(full) << "plugin";
    return full.string();
  }

  const TemporaryFolder folder_;
  const fs::path root_ = folder_.path();
  const PlatformRow& cpu_ = find_row("cpu");

 private:
  EnvironmentGuard plugin_, data_, home_, environment_, conda_, path_;
};

constexpr const char* kFile = "pjrt_c_api_cpu_plugin.so";

TEST_F(SearchTest, NewestVersionInTheFolderIsTaken) {
  put("data/systolic/platforms/cpu/0.9.2/" + std::string(kFile));
  const std::string newest =
      put("data/systolic/platforms/cpu/0.11.2/" + std::string(kFile));
  const SearchResult result = search(cpu_);
  ASSERT_TRUE(result.found);
  EXPECT_EQ(result.found->path, newest);
  EXPECT_EQ(result.found->version, "0.11.2");
  EXPECT_EQ(result.found->origin, "platform folder");
}

TEST_F(SearchTest, UsualPackageComesBeforeOthersWithLargerNumbers) {
  const std::string folder = "data/systolic/platforms/cpu/";
  put(folder + "xla-cpu-pjrt-0.0.1/xla_cpu_pjrt.so");
  const std::string other =
      put(folder + "fastatomstruct-xla-cpu-2026.6.23/libpjrt_cpu.so");
  ASSERT_TRUE(search(cpu_).found);
  EXPECT_EQ(search(cpu_).found->path, other);
  EXPECT_EQ(search(cpu_).found->version, "fastatomstruct-xla-cpu-2026.6.23");
  const std::string usual = put(folder + "0.11.2/" + kFile);
  EXPECT_EQ(search(cpu_).found->path, usual);
  EXPECT_EQ(search(cpu_).found->version, "0.11.2");
}

TEST_F(SearchTest, OtherPackagesAreFoundInPythonToo) {
  const std::string site = "venv/lib/python3.11/site-packages/";
  put(site + "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so");
  const std::string newer = put(site + "fastatomstruct_xla_cpu/libpjrt_cpu.so");
  ASSERT_TRUE(search(cpu_).found);
  EXPECT_EQ(search(cpu_).found->path, newer);
}

TEST_F(SearchTest, FolderWithoutTheFileIsPassedOver) {
  fs::create_directories(root_ / "data/systolic/platforms/cpu/0.12.0");
  put("data/systolic/platforms/cpu/0.11.2/" + std::string(kFile));
  ASSERT_TRUE(search(cpu_).found);
  EXPECT_EQ(search(cpu_).found->version, "0.11.2");
}

TEST_F(SearchTest, VariableComesBeforeTheFolder) {
  put("data/systolic/platforms/cpu/0.11.2/" + std::string(kFile));
  const std::string chosen = put("mine.so");
  const EnvironmentGuard guard("SYSTOLIC_PLATFORM_CPU", chosen);
  ASSERT_TRUE(search(cpu_).found);
  EXPECT_EQ(search(cpu_).found->path, chosen);
  EXPECT_EQ(search(cpu_).found->origin, "SYSTOLIC_PLATFORM_CPU");
}

TEST_F(SearchTest, VariableThatNamesNothingIsNotPassedOver) {
  put("data/systolic/platforms/cpu/0.11.2/" + std::string(kFile));
  const EnvironmentGuard guard("SYSTOLIC_PLATFORM_CPU", "nowhere.so");
  const SearchResult result = search(cpu_);
  EXPECT_FALSE(result.found);
  EXPECT_EQ(result.looked, (std::vector<std::string>{"nowhere.so"}));
}

TEST_F(SearchTest, PathGivenComesFirst) {
  const EnvironmentGuard guard("SYSTOLIC_PLATFORM_CPU", put("other.so"));
  const std::string given = put("given.so");
  ASSERT_TRUE(search(cpu_, given).found);
  EXPECT_EQ(search(cpu_, given).found->path, given);
  EXPECT_FALSE(search(cpu_, "nowhere.so").found);
}

TEST_F(SearchTest, PythonsPackagesComeLast) {
  const std::string in_python =
      put("venv/lib/python3.11/site-packages/lammps_jax_pjrt_cpu/" +
          std::string(kFile));
  ASSERT_TRUE(search(cpu_).found);
  EXPECT_EQ(search(cpu_).found->path, in_python);
  put("data/systolic/platforms/cpu/0.1/" + std::string(kFile));
  EXPECT_EQ(search(cpu_).found->version, "0.1");
}

TEST_F(SearchTest, PythonOnThePathIsFollowedToItsPackages) {
  put("python/bin/python3");
  const std::string in_python =
      put("python/lib/python3.12/site-packages/lammps_jax_pjrt_cpu/" +
          std::string(kFile));
  const EnvironmentGuard path("PATH",
                              "/nowhere:" + (root_ / "python/bin").string());
  ASSERT_TRUE(search(cpu_).found);
  EXPECT_EQ(search(cpu_).found->path, in_python);
}

TEST_F(SearchTest, WhatIsNotFoundListsThePlacesAndTheRemedy) {
  const SearchResult result = search(cpu_);
  ASSERT_FALSE(result.found);
  try {
    throw_not_found(cpu_, result);
    FAIL() << "nothing was thrown";
  } catch (const NotFoundError& error) {
    const std::string text = error.what();
    const std::string folder = (root_ / "data/systolic/platforms/cpu").string();
    EXPECT_TRUE(text.starts_with(
        "platform \"cpu\": no plugin was found for this machine's processor\n"
        "  looked at: SYSTOLIC_PLATFORM_CPU (not set)\n"
        "  looked at: " +
        folder + "\n"))
        << text;
    EXPECT_TRUE(
        text.ends_with("\n  hint: run `scripts/install-platform cpu`, or set "
                       "SYSTOLIC_PLATFORM_CPU to the plugin's file"))
        << text;
  }
}

TEST_F(SearchTest, HomeIsUsedWithoutXdg) {
  const EnvironmentGuard guard("XDG_DATA_HOME");
  EXPECT_EQ(platform_folder(cpu_),
            (root_ / "home/.local/share/systolic/platforms/cpu").string());
}

TEST(Versions, CompareByTheirNumbers) {
  EXPECT_TRUE(is_older("0.9.1", "0.11.2"));
  EXPECT_FALSE(is_older("0.11.2", "0.9.1"));
  EXPECT_TRUE(is_older("0.11", "0.11.1"));
  EXPECT_FALSE(is_older("0.11.2", "0.11.2"));
  EXPECT_TRUE(is_older("2026.6.23", "2026.10.1"));
}

}  // namespace
}  // namespace systolic::internal::platforms
