#include "systolic/io/file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string_view>

#include "systolic/io/test_sync.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::io::detail {
namespace {

namespace fs = std::filesystem;
using systolic::testing::TemporaryFolder;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

ptrdiff_t count_files(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder),
                       fs::directory_iterator());
}

TEST(FileTest, WrittenFileReplacesTheOneBeforeAndLeavesNoParts) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "new" / "folder" / "file";
  write_file(path, bytes_of("first"));
  write_file(path, bytes_of(std::string_view("a\0b", 3)));
  EXPECT_EQ(read_file(path), std::string("a\0b", 3));
  EXPECT_EQ(count_files(path.parent_path()), 1);
}

TEST(FileTest, WaitsForTheDiskUnlessItIsACache) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  int before = syncs;
  write_file(path, bytes_of("x"));
  EXPECT_EQ(syncs, before + 1);
  before = syncs;
  write_file(path, bytes_of("y"), kCached);
  EXPECT_EQ(syncs, before);
  sync_error = EIO;
  EXPECT_THROW(write_file(path, bytes_of("z")), fs::filesystem_error);
  sync_error = EINVAL;  // a file system that knows no such wait
  write_file(folder.path() / "other", bytes_of("z"));
  sync_error = 0;
  EXPECT_EQ(read_file(path), "y");
  EXPECT_EQ(count_files(folder.path()), 2);
}

TEST(FileTest, NameAloneIsAFileOfTheCurrentFolder) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file("f", bytes_of("x"));
  EXPECT_EQ(read_file("f"), "x");
  fs::current_path(before);
  EXPECT_EQ(count_files(folder.path()), 1);
}

TEST(FileTest, WhatCanNotBeWrittenThrowsAndLeavesNothing) {
  const TemporaryFolder folder;
  const fs::path taken = folder.path() / "taken";
  fs::create_directories(taken / "full");
  EXPECT_THROW(write_file(taken, bytes_of("x")), fs::filesystem_error);
  EXPECT_EQ(count_files(folder.path()), 1);
  write_file(folder.path() / "file", bytes_of("x"));
  EXPECT_THROW(write_file(folder.path() / "file" / "below", bytes_of("x")),
               fs::filesystem_error);
}

TEST(FileTest, WhatCanNotBeReadThrows) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_file(folder.path() / "none"), fs::filesystem_error);
  EXPECT_THROW(read_file(folder.path()), fs::filesystem_error);
}

}  // namespace
}  // namespace systolic::io::detail
