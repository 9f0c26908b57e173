#include "systolic/io/local.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "systolic/testing/error_text.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::io::detail {
namespace {

using internal::text_of;

class LocalTest : public ::testing::Test {
 protected:
  std::string in(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  LocalFileSystem files_;
  const testing::TemporaryFolder folder_;
};

TEST_F(LocalTest, ReadsFromAnyPlaceAndShortOnlyAtTheEnd) {
  std::ofstream(in("f")) << "0123456789";
  const auto file = files_.open(in("f"), {});
  EXPECT_EQ(file->size(), 10);
  EXPECT_EQ(file->path(), in("f"));
  std::array<std::byte, 4> out{};
  EXPECT_EQ(file->read_at(3, out), 4u);
  EXPECT_EQ(std::memcmp(out.data(), "3456", 4), 0);
  EXPECT_EQ(file->read_at(8, out), 2u);
  EXPECT_EQ(file->read_at(10, out), 0u);
  EXPECT_EQ(file->read_at(99, out), 0u);
}

TEST_F(LocalTest, WhatCanNotBeOpenedSaysWhy) {
  EXPECT_EQ(text_of<NotFoundError>([&] { files_.open(in("none"), {}); }),
            "open_file: expected a file that can be read, got \"" + in("none") +
                "\"\n  cause: No such file or directory");
  EXPECT_EQ(text_of<StorageError>([&] { files_.open(folder_.path(), {}); }),
            "open_file: expected a file, got \"" + folder_.path().string() +
                "\"\n  cause: Is a directory");
}

TEST_F(LocalTest, FileIsThereWhenItIsClosed) {
  const auto file = files_.create(in("new/f"));
  file->append(std::as_bytes(std::span("ab", 2)));
  EXPECT_FALSE(files_.find(in("new/f")));
  file->append(std::as_bytes(std::span("c", 1)));
  file->close();
  EXPECT_EQ(files_.find(in("new/f"))->size, 3);
  EXPECT_THROW(file->close(), ValueError);
  EXPECT_THROW(file->append({}), ValueError);
}

TEST_F(LocalTest, FileThatIsNotClosedLeavesNothing) {
  { files_.create(in("f"))->append(std::as_bytes(std::span("ab", 2))); }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  std::filesystem::create_directories(folder_.path() / "taken" / "full");
  const auto file = files_.create(in("taken"));
  EXPECT_THROW(file->close(), StorageError);
  EXPECT_EQ(list_directory(folder_.path()),
            (std::vector<std::string>{"taken"}));
}

TEST_F(LocalTest, RefusedIsPermissionDenied) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  std::ofstream(in("f")) << "x";
  std::filesystem::permissions(in("f"), std::filesystem::perms::none);
  EXPECT_THROW(files_.open(in("f"), {}), PermissionDeniedError);
}

TEST_F(LocalTest, ListingEndsWhenTheVisitorHasEnough) {
  for (const char* name : {"a/1", "a/2", "b"}) write_file(in(name), "");
  int seen = 0;
  files_.list(folder_.path(), {.recursive = true},
              [&](const auto&) { return ++seen < 2; });
  EXPECT_EQ(seen, 2);
}

TEST_F(LocalTest, ListsWhatBeginsWithThePrefix) {
  for (const char* name : {"a/x1", "a/y", "ab/x", "b/x"}) {
    write_file(in(name), "");
  }
  std::vector<std::string> seen;
  files_.list(folder_.path(), {.recursive = true, .prefix = "a/x"},
              [&](const DirectoryEntry& entry) {
                seen.push_back(entry.path);
                return true;
              });
  EXPECT_EQ(seen, (std::vector<std::string>{in("a/x1")}));
}

}  // namespace
}  // namespace systolic::io::detail
