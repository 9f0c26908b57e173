#include "systolic/base/user_folders.h"

#include <gtest/gtest.h>

#include "systolic/testing/environment_guard.h"

namespace systolic::internal {
namespace {

using systolic::testing::EnvironmentGuard;

TEST(UserFoldersTest, EnvironmentGivesTheValueOrNothing) {
  const EnvironmentGuard set("SYSTOLIC_TEST_SET", "a b");
  const EnvironmentGuard unset("SYSTOLIC_TEST_UNSET");
  EXPECT_EQ(environment("SYSTOLIC_TEST_SET"), "a b");
  EXPECT_EQ(environment("SYSTOLIC_TEST_UNSET"), "");
}

TEST(UserFoldersTest, VariablesNameTheFolders) {
  const EnvironmentGuard cache("XDG_CACHE_HOME", "/fast/cache");
  const EnvironmentGuard data("XDG_DATA_HOME", "/big/data");
  EXPECT_EQ(cache_folder(), "/fast/cache/systolic");
  EXPECT_EQ(data_folder(), "/big/data/systolic");
}

TEST(UserFoldersTest, HomeIsTheDefault) {
  const EnvironmentGuard home("HOME", "/home-of-test");
  const EnvironmentGuard cache("XDG_CACHE_HOME");
  const EnvironmentGuard data("XDG_DATA_HOME", "");
  EXPECT_EQ(home_folder(), "/home-of-test");
  EXPECT_EQ(cache_folder(), "/home-of-test/.cache/systolic");
  EXPECT_EQ(data_folder(), "/home-of-test/.local/share/systolic");
}

TEST(UserFoldersTest, RelativePathIsIgnored) {
  const EnvironmentGuard home("HOME", "/home-of-test");
  const EnvironmentGuard cache("XDG_CACHE_HOME", "cache");
  EXPECT_EQ(cache_folder(), "/home-of-test/.cache/systolic");
}

TEST(UserFoldersTest, ThereIsAHomeWithoutTheVariable) {
  const EnvironmentGuard home("HOME");
  EXPECT_TRUE(home_folder().is_absolute());
}

}  // namespace
}  // namespace systolic::internal
