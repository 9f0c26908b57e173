#include "systolic/datasets/sources.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/datasets/fetch.h"
#include "systolic/datasets/test_files.h"

namespace systolic::datasets::detail {
namespace {

// Sets an environment variable for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    if (value != nullptr) {
      setenv(name, value, 1);
    } else {
      unsetenv(name);
    }
  }
  ~Environment() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// Log lines stay off the terminal.
class SourcesTest : public ::testing::Test {
 protected:
  SourcesTest() : before_(set_log_sink([](LogLevel, std::string_view) {})) {}
  ~SourcesTest() override { set_log_sink(before_); }

  std::string address(const std::string& name) const {
    return "file://" + (folder_.path() / "web" / name).string();
  }

  const std::string text_ = idx_text({3, 2}, 100);
  const TemporaryFolder folder_;
  const std::filesystem::path cached_ = folder_.path() / "cache/mnist/digits";
  Places places_{.cache = folder_.path() / "cache", .data_dir = {}};

 private:
  LogSink before_;
};

TEST(SourcesTableTest, HasMnist) {
  const std::vector<SourceFile> rows = source_files("mnist");
  ASSERT_EQ(rows.size(), 4u);
  for (const SourceFile& row : rows) {
    EXPECT_EQ(row.sha256.size(), 64u) << row.file;
    EXPECT_GE(row.addresses.size(), 1u) << row.file;
    EXPECT_GT(row.size, 10'000) << row.file;
  }
  EXPECT_TRUE(source_files("fashion").empty());
}

TEST(SourcesTableTest, HasItsRelatives) {
  EXPECT_EQ(source_files("fashion_mnist").size(), 4u);
  EXPECT_EQ(source_files("cifar10").size(), 1u);
  const std::vector<SourceFile> rows = source_files("cifar100");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(rows[0].packed);
  EXPECT_EQ(rows[0].sha256.size(), 64u);
}

// The table may know the file only as it is fetched.
TEST_F(SourcesTest, ThePackedFileIsCheckedAsItIs) {
  const std::filesystem::path packed = folder_.path() / "cache/mnist/digits.gz";
  write_gzip(packed, text_);
  const std::string bytes = read_text(packed);
  SourceFile source = source_of("digits", bytes);
  source.packed = true;
  EXPECT_EQ(find_file(source, places_).bytes.size(), text_.size());
  check_sha256(source, {}, "", "");  // says nothing of the unpacked file
  source.sha256[0] = source.sha256[0] == '0' ? '1' : '0';
  EXPECT_NE(text_of<DataError>([&] {
              find_file(source, places_);
            }).find("check: SHA-256 of the packed file"),
            std::string::npos);
}

// A page that says where to log in, or a file that was unpacked on its way.
TEST_F(SourcesTest, WhatIsNotPackedIsNotThePackedFile) {
  if (!can_fetch()) GTEST_SKIP() << "this build has no libcurl";
  write_text(folder_.path() / "web" / "page", "<html>log in</html>");
  write_text(folder_.path() / "web" / "plain", text_);
  write_gzip(folder_.path() / "web" / "good.gz", text_);
  SourceFile source =
      source_of("digits", read_text(folder_.path() / "web" / "good.gz"),
                {address("page"), address("plain")});
  source.packed = true;
  const std::string text =
      text_of<DataError>([&] { find_file(source, places_); });
  EXPECT_NE(text.find("check: SHA-256 of the packed file"), std::string::npos)
      << text;
  EXPECT_FALSE(std::filesystem::exists(cached_.parent_path()));
  source.addresses.push_back(address("good.gz"));
  EXPECT_EQ(find_file(source, places_).bytes.size(), text_.size());
}

TEST_F(SourcesTest, AFlippedBitOfTheKeptPackedFileIsSeen) {
  if (!can_fetch()) GTEST_SKIP() << "this build has no libcurl";
  write_gzip(folder_.path() / "web" / "good.gz", text_);
  SourceFile source =
      source_of("digits", read_text(folder_.path() / "web" / "good.gz"),
                {address("good.gz")});
  source.packed = true;
  const std::filesystem::path kept = find_file(source, places_).path;
  EXPECT_EQ(kept, cached_.string() + ".gz");
  EXPECT_EQ(find_file(source, places_).bytes.size(), text_.size());
  std::string bytes = read_text(kept);
  bytes[4] ^= 1;  // the time of packing, which unpacking does not mind
  write_text(kept, bytes);
  EXPECT_THROW(find_file(source, places_), DataError);
}

TEST(SourcesTableTest, ALineThatIsNoRowIsOurMistake) {
  EXPECT_TRUE(parse_sources("# only a comment\n\n").empty());
  EXPECT_THROW(parse_sources("mnist\tfile\n"), InternalError);
}

TEST(PlacesTest, FollowTheEnvironment) {
  const Environment cache("XDG_CACHE_HOME", "/tmp/x");
  const Environment data("SYSTOLIC_DATA_DIR", "/tmp/y");
  EXPECT_EQ(default_places().cache, "/tmp/x/systolic/datasets");
  EXPECT_EQ(default_places().data_dir, "/tmp/y");
  const Environment no_cache("XDG_CACHE_HOME", nullptr);
  const Environment no_data("SYSTOLIC_DATA_DIR", nullptr);
  const Environment home("HOME", "/tmp/z");
  EXPECT_EQ(default_places().cache, "/tmp/z/.cache/systolic/datasets");
  EXPECT_FALSE(default_places().data_dir.has_value());
}

TEST_F(SourcesTest, TheCacheComesFirstThenTheUsersFolder) {
  places_.data_dir = folder_.path() / "mine";
  const SourceFile source = source_of("digits", text_);
  write_gzip(*places_.data_dir / "mnist" / "digits.gz", text_);
  FoundFile found = find_file(source, places_);
  EXPECT_EQ(found.path, *places_.data_dir / "mnist" / "digits.gz");
  EXPECT_EQ(found.bytes.size(), text_.size());
  write_text(*places_.data_dir / "digits", text_);
  EXPECT_EQ(find_file(source, places_).path, *places_.data_dir / "digits");
  write_text(cached_, text_);
  found = find_file(source, places_);
  EXPECT_EQ(found.path, cached_);
  EXPECT_EQ(found.hint, "remove the file; it is then fetched again");
}

TEST_F(SourcesTest, FetchesChecksAndKeeps) {
  if (!can_fetch()) GTEST_SKIP() << "this build has no libcurl";
  write_gzip(folder_.path() / "web" / "good.gz", text_);
  write_text(folder_.path() / "web" / "bad", "<html>moved</html>");
  const SourceFile source =
      source_of("digits", text_,
                {address("missing"), address("bad"), address("good.gz")});
  EXPECT_EQ(find_file(source, places_).path, cached_);
  EXPECT_EQ(read_text(cached_), text_);
}

TEST_F(SourcesTest, AFetchOfSomethingElseIsDamage) {
  if (!can_fetch()) GTEST_SKIP() << "this build has no libcurl";
  write_text(folder_.path() / "web" / "bad", "<html>moved</html>");
  const SourceFile source = source_of("digits", text_, {address("bad")});
  const std::string text =
      text_of<DataError>([&] { find_file(source, places_); });
  EXPECT_EQ(text,
            "datasets: expected " + source.sha256 + ", got " +
                sha256(std::as_bytes(std::span("<html>moved</html>", 18))) +
                "\n  file: " + address("bad") +
                "\n  check: SHA-256 of the unpacked file\n"
                "  offset: 0\n"
                "  hint: the address gives another file; put a good one "
                "into " +
                cached_.parent_path().string());
  EXPECT_FALSE(std::filesystem::exists(cached_));
}

TEST_F(SourcesTest, AFailedFetchSaysWhatToPutWhere) {
  const SourceFile source = source_of("digits", text_, {address("missing")});
  const std::string text =
      text_of<NotFoundError>([&] { find_file(source, places_); });
  const std::string folder = cached_.parent_path().string();
  const std::string begin =
      "datasets::mnist: expected the file digits, got none in the places "
      "below\n"
      "  cache: " +
      folder +
      "\n"
      "  SYSTOLIC_DATA_DIR: not set\n"
      "  " +
      address("missing") + ": ";
  EXPECT_EQ(text.substr(0, begin.size()), begin);
  const std::string end =
      "\n  hint: run scripts/fetch-dataset mnist, or put "
      "train-images-idx3-ubyte, "
      "train-labels-idx1-ubyte, t10k-images-idx3-ubyte, "
      "t10k-labels-idx1-ubyte (plain or .gz) into " +
      folder + " or the folder that SYSTOLIC_DATA_DIR names";
  ASSERT_GT(text.size(), end.size());
  EXPECT_EQ(text.substr(text.size() - end.size()), end);
}

TEST_F(SourcesTest, ACacheThatCannotBeWrittenIsNoObstacle) {
  if (!can_fetch()) GTEST_SKIP() << "this build has no libcurl";
  write_text(folder_.path() / "web" / "good", text_);
  write_text(folder_.path() / "cache", "a file, not a folder");
  const SourceFile source = source_of("digits", text_, {address("good")});
  EXPECT_EQ(find_file(source, places_).bytes.size(), text_.size());
}

}  // namespace
}  // namespace systolic::datasets::detail
