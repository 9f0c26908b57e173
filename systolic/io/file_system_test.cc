#include "systolic/io/file_system.h"

#include <gtest/gtest.h>

#include "systolic/testing/error_text.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::io {
namespace {

using internal::text_of;
using Paths = std::vector<std::string>;

class FileSystemTest : public ::testing::Test {
 protected:
  std::string in(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(FileSystemTest, UnknownSchemeListsTheKnown) {
  const std::string text =
      text_of<ValueError>([] { open_file("gss://bucket/file"); });
  EXPECT_NE(text.find("io: expected a local path or one of the schemes "
                      "file://"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("got \"gss://bucket/file\""), std::string::npos) << text;
}

TEST_F(FileSystemTest, WholeFiles) {
  write_file(in("a/b/c"), std::string_view("x\0y", 3));
  EXPECT_EQ(read_file(in("a/b/c")), std::string("x\0y", 3));
  write_file(in("a/b/c"), "");
  EXPECT_EQ(read_file(in("a/b/c")), "");
  const std::string large(9'000'000, 'z');
  write_file(in("large"), large);
  EXPECT_EQ(read_file(in("large")), large);
}

TEST_F(FileSystemTest, FilesThatDoNotSayTheirSize) {
  EXPECT_FALSE(read_file("/proc/self/status").empty());
}

TEST_F(FileSystemTest, StatAndItsShortForms) {
  write_file(in("d/f"), "1234");
  EXPECT_TRUE(exists(in("d/f")));
  EXPECT_FALSE(exists(in("d/g")));
  EXPECT_FALSE(exists(in("d/f/g")));
  EXPECT_TRUE(is_dir(in("d")));
  EXPECT_FALSE(is_dir(in("d/f")));
  const FileStat before = io::stat(in("d/f"));
  EXPECT_EQ(before.size, 4);
  EXPECT_FALSE(before.is_directory);
  EXPECT_TRUE(before.modified.has_value());
  write_file(in("d/f"), "12345");
  EXPECT_NE(io::stat(in("d/f")).version, before.version);
  EXPECT_EQ(text_of<NotFoundError>([&] { io::stat(in("none")); }),
            "stat: expected a file or folder that exists, got \"" + in("none") +
                "\"");
}

TEST_F(FileSystemTest, FoldersAreListedSorted) {
  for (const char* name : {"b", "a", "c/d"}) write_file(in(name), "");
  EXPECT_EQ(list_directory(folder_.path()), (Paths{"a", "b", "c"}));
  EXPECT_THROW(list_directory(in("none")), NotFoundError);
  make_dirs(in("new/one"));
  make_dirs(in("new/one"));
  EXPECT_EQ(list_directory(in("new/one")), Paths());
}

TEST_F(FileSystemTest, MovesAndCopiesOverWhatIsThere) {
  write_file(in("a"), "a");
  write_file(in("b"), "b");
  io::rename(in("a"), in("b"));
  EXPECT_EQ(read_file(in("b")), "a");
  EXPECT_FALSE(exists(in("a")));
  io::copy(in("b"), "file://" + in("new/c"));
  EXPECT_EQ(read_file(in("new/c")), "a");
  EXPECT_EQ(read_file(in("b")), "a");
  EXPECT_THROW(io::rename(in("none"), in("x")), NotFoundError);
}

TEST_F(FileSystemTest, RemovesFilesAndTrees) {
  for (const char* name : {"t/a", "t/u/b", "t/u/v/c"}) write_file(in(name), "");
  EXPECT_THROW(io::remove(in("t")), StorageError);
  io::remove(in("t/a"));
  EXPECT_FALSE(exists(in("t/a")));
  remove_tree(in("t"));
  EXPECT_FALSE(exists(in("t")));
  EXPECT_THROW(io::remove(in("t")), NotFoundError);
  EXPECT_THROW(remove_tree(in("t")), NotFoundError);
}

// A bucket with a file, that can not be removed itself.
class OneBucket final : public FileSystem {
 public:
  std::unique_ptr<RandomAccessFile> open(const std::string&,
                                         const ReadOptions&) override {
    return nullptr;
  }
  std::unique_ptr<WritableFile> create(const std::string&) override {
    return nullptr;
  }
  std::optional<FileStat> find(const std::string&) override {
    return FileStat{.is_directory = true};
  }
  void list(const std::string&, const ListOptions&,
            const EntryVisitor& visit) override {
    visit({"s3://b/d", {.is_directory = true}});
    visit({"s3://b/d/f", {}});
  }
  void make_dirs(const std::string&) override {}
  void remove(const std::string& path) override { removed.push_back(path); }
  void rename(const std::string&, const std::string&) override {}

  Paths removed;
};

TEST(FileSystemBaseTest, BucketStaysWhereItsTreeIsRemoved) {
  for (const char* bucket : {"s3://b", "s3://b/"}) {
    OneBucket files;
    files.remove_tree(bucket);
    EXPECT_EQ(files.removed, (Paths{"s3://b/d/f", "s3://b/d"}));
  }
  OneBucket files;
  files.remove_tree("s3://b/d");
  EXPECT_EQ(files.removed.back(), "s3://b/d");
}

}  // namespace
}  // namespace systolic::io
