#include "systolic/io/local.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "systolic/io/test_sync.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::io::detail {

std::atomic<int> sync_error = 0;
std::atomic<int> syncs = 0;

}  // namespace systolic::io::detail

// In the place of the C library's.
extern "C" int fdatasync(int file) {
  using systolic::io::detail::sync_error;
  ++systolic::io::detail::syncs;
  if (sync_error == 0) return static_cast<int>(syscall(SYS_fdatasync, file));
  errno = sync_error;
  return -1;
}

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
  EXPECT_TRUE(text_of<NotFoundError>([&] { files_.open(in("s-*.f"), {}); })
                  .ends_with("\n  cause: No such file or directory\n  hint: "
                             "io::glob() and Dataset::list_files() find the "
                             "files of a pattern"));
}

TEST_F(LocalTest, TheDiskHasTheBytesBeforeTheFileHasItsName) {
  const auto write = [&] {
    const auto file = files_.create(in("f"));
    file->append(std::as_bytes(std::span("ab", 2)));
    file->close();
  };
  const int before = syncs;
  write();
  EXPECT_EQ(syncs, before + 1);
  sync_error = EINVAL;  // a file system that knows no such wait
  write();
  files_.remove(in("f"));
  sync_error = EIO;
  const std::string text = text_of<StorageError>(write);
  sync_error = 0;
  EXPECT_EQ(text, "create_file: expected a file that can be written, got \"" +
                      in("f") + "\"\n  cause: Input/output error");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
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

TEST_F(LocalTest, WritesWhatALinkLeadsTo) {
  namespace fs = std::filesystem;
  write_file(in("disk/x"), "old");
  fs::create_directory(in("links"));
  fs::create_symlink("../disk/x", in("links/latest"));
  fs::create_symlink("links/latest", in("twice"));
  write_file(in("twice"), "new");
  EXPECT_EQ(read_file(in("disk/x")), "new");
  EXPECT_TRUE(fs::is_symlink(in("twice")));
  EXPECT_TRUE(fs::is_symlink(in("links/latest")));
  fs::create_symlink(in("disk/y"), in("dangling"));
  write_file(in("dangling"), "there");
  EXPECT_EQ(read_file(in("disk/y")), "there");
  EXPECT_EQ(list_directory(in("disk")), (std::vector<std::string>{"x", "y"}));
  fs::create_symlink(in("loop"), in("loop"));
  EXPECT_THROW(write_file(in("loop"), "x"), StorageError);
  EXPECT_TRUE(fs::is_symlink(in("loop")));
}

TEST_F(LocalTest, WhoMayReadAFileStays) {
  namespace fs = std::filesystem;
  write_file(in("f"), "old");
  for (const fs::perms mode :
       {fs::perms{0600}, fs::perms{0660}, fs::perms{0755}}) {
    fs::permissions(in("f"), mode);
    write_file(in("f"), "new");
    EXPECT_EQ(fs::status(in("f")).permissions(), mode);
  }
}

// The same as for a device, which a test had better not touch.
TEST_F(LocalTest, PipeIsWrittenTo) {
  ASSERT_EQ(mkfifo(in("pipe").c_str(), 0600), 0);
  const int reader = ::open(in("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  const auto file = files_.create(in("pipe"));
  file->append(std::as_bytes(std::span("ab", 2)));
  file->close();
  char got[2] = {};
  EXPECT_EQ(::read(reader, got, 2), 2);
  EXPECT_EQ(std::string(got, 2), "ab");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(in("pipe")));
}

// As /dev/stdout is one in `program | gzip`: it has no name of its own.
TEST_F(LocalTest, PipeIsWrittenToByTheNameOfItsDescriptor) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto file = files_.create("/dev/fd/" + std::to_string(ends[1]));
  file->append(std::as_bytes(std::span("ab", 2)));
  file->close();
  char got[2] = {};
  EXPECT_EQ(::read(ends[0], got, 2), 2);
  EXPECT_EQ(std::string(got, 2), "ab");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(LocalTest, WhatAKilledProgramLeftIsInNobodysWay) {
  // A process of the same number that counts from the same number.
  const std::string left = in(".f.part-" + std::to_string(getpid()) + "-");
  for (int i = 0; i < 1000; ++i) std::ofstream(left + std::to_string(i)) << "x";
  write_file(in("f"), "abc");
  EXPECT_EQ(read_file(in("f")), "abc");
}

TEST_F(LocalTest, TreeIsRemovedWithItsLinksAndNotWhatTheyLeadTo) {
  namespace fs = std::filesystem;
  write_file(in("kept/f"), "x");
  write_file(in("t/u/f"), "x");
  fs::create_symlink(in("nowhere"), in("t/u/dangling"));
  fs::create_directory_symlink(in("kept"), in("t/link"));
  remove_tree(in("t"));
  EXPECT_FALSE(fs::exists(in("t")));
  fs::create_directory_symlink(in("kept"), in("link"));
  remove_tree(in("link") + "/");
  EXPECT_FALSE(fs::is_symlink(in("link")));
  EXPECT_TRUE(fs::exists(in("kept/f")));
  EXPECT_THROW(remove_tree(in("kept/f")), NotFoundError);
}

TEST_F(LocalTest, MovesToAnotherDisk) {
  namespace fs = std::filesystem;
  const fs::path other = "/dev/shm";
  struct stat here {};
  struct stat there {};
  if (access(other.c_str(), W_OK) != 0 ||
      ::stat(folder_.path().c_str(), &here) != 0 ||
      ::stat(other.c_str(), &there) != 0 || here.st_dev == there.st_dev) {
    GTEST_SKIP() << "there is no other disk";
  }
  const std::string target =
      (other / ("systolic-local-test-" + std::to_string(getpid()))).string();
  write_file(in("d/u/f"), "abc");
  io::rename(in("d"), target);
  EXPECT_EQ(read_file(target + "/u/f"), "abc");
  EXPECT_FALSE(exists(in("d")));
  io::rename(target + "/u/f", in("f"));
  EXPECT_EQ(read_file(in("f")), "abc");
  EXPECT_FALSE(exists(target + "/u/f"));
  remove_tree(target);
}

}  // namespace
}  // namespace systolic::io::detail
