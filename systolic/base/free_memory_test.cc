#include "systolic/base/free_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "systolic/testing/temporary_folder.h"

namespace systolic::internal {
namespace {

void write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

TEST(FreeMemoryTest, PagesOfFilesAreFree) {
  const testing::TemporaryFolder folder;
  const std::string group = folder.path().string();
  EXPECT_EQ(control_group_memory(group), std::nullopt);
  write(group + "/memory.max", "1000\n");
  write(group + "/memory.current", "900\n");
  EXPECT_EQ(control_group_memory(group), 100);
  write(group + "/memory.stat",
        "anon 200\nfile 700\ninactive_file 500\nactive_file 150\n");
  EXPECT_EQ(control_group_memory(group), 750);
  write(group + "/memory.max", "max\n");
  EXPECT_EQ(control_group_memory(group), std::nullopt);
}

TEST(FreeMemoryTest, TheFirstVersionToo) {
  const testing::TemporaryFolder folder;
  const std::string group = folder.path().string() + "/memory/memory.";
  write(group + "limit_in_bytes", "1000\n");
  write(group + "usage_in_bytes", "1000\n");
  EXPECT_EQ(control_group_memory(folder.path().string()), 0);
  write(group + "stat",
        "inactive_file 1\ntotal_inactive_file 300\ntotal_active_file 50\n");
  EXPECT_EQ(control_group_memory(folder.path().string()), 350);
}

}  // namespace
}  // namespace systolic::internal
