#include "systolic/io/block_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "systolic/base/log.h"
#include "systolic/io/file.h"
#include "systolic/io/read_ahead.h"
#include "systolic/io/test_files.h"
#include "systolic/io/test_storage_options.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::io::detail {
namespace {

namespace fs = std::filesystem;

class CountedSource final : public RangeSource {
 public:
  explicit CountedSource(std::string version) : version_(std::move(version)) {}

  void fetch(int64_t offset, std::span<std::byte> out,
             const std::stop_token&) override {
    ++count;
    std::memcpy(out.data(), bytes_.data() + offset, out.size());
  }
  int64_t size() const override { return static_cast<int64_t>(bytes_.size()); }
  const std::string& path() const override { return path_; }
  const std::string& version() const override { return version_; }

  int count = 0;

 private:
  const std::string bytes_ = test_bytes(1000);
  const std::string path_ = "gs://bucket/file";
  const std::string version_;
};

std::string fetch(CountedSource& source, int64_t offset) {
  std::string bytes(100, '\0');
  fetch_through_cache(source, offset, std::as_writable_bytes(std::span(bytes)),
                      {});
  return bytes;
}

class BlockCacheTest : public ::testing::Test {
 protected:
  std::vector<fs::path> blocks() const {
    std::vector<fs::path> found;
    for (const auto& entry :
         fs::recursive_directory_iterator(folder_.path() / "blocks")) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }

  const systolic::testing::TemporaryFolder folder_;
  StorageOptions options_ = {
      .cache_folder = (folder_.path() / "blocks").string(),
      .cache_bytes = 1000};
};

TEST_F(BlockCacheTest, SecondReadComesFromTheDisk) {
  const StorageOptionsGuard guard(options_);
  CountedSource first("1");
  const std::string bytes = fetch(first, 200);
  EXPECT_EQ(bytes, test_bytes(1000).substr(200, 100));
  CountedSource second("1");
  EXPECT_EQ(fetch(second, 200), bytes);
  EXPECT_EQ(second.count, 0);
  fetch(second, 300);
  EXPECT_EQ(second.count, 1);
}

TEST_F(BlockCacheTest, AnotherVersionIsAnotherFile) {
  const StorageOptionsGuard guard(options_);
  CountedSource first("1");
  fetch(first, 0);
  CountedSource second("2");
  fetch(second, 0);
  EXPECT_EQ(second.count, 1);
}

TEST_F(BlockCacheTest, FileOfNoKnownVersionIsNotKept) {
  const StorageOptionsGuard guard(options_);
  CountedSource source("");
  fetch(source, 0);
  fetch(source, 0);
  EXPECT_EQ(source.count, 2);
  EXPECT_FALSE(fs::exists(options_.cache_folder));
}

TEST_F(BlockCacheTest, DamagedBlockIsFetchedAgain) {
  const StorageOptionsGuard guard(options_);
  CountedSource source("1");
  const std::string bytes = fetch(source, 0);
  const fs::path path = blocks().at(0);
  std::string file = detail::read_file(path);
  file.back() = static_cast<char>(file.back() ^ 1);
  std::ofstream(path, std::ios::binary) << file;
  EXPECT_EQ(fetch(source, 0), bytes);
  EXPECT_EQ(source.count, 2);
}

TEST_F(BlockCacheTest, StaysBelowItsSize) {
  const StorageOptionsGuard guard(options_);
  CountedSource source("1");
  for (int64_t at = 0; at < 1000; at += 100) fetch(source, at);
  uintmax_t bytes = 0;
  for (const fs::path& path : blocks()) bytes += fs::file_size(path);
  EXPECT_LE(bytes, 1000u);
  EXPECT_GE(bytes, 500u);
}

TEST_F(BlockCacheTest, WhatKilledProgramsLeftGoes) {
  const StorageOptionsGuard guard(options_);
  const fs::path below = fs::path(options_.cache_folder) / "ab";
  fs::create_directories(below);
  const fs::path old = below / "abc.block.part-1-0";
  const fs::path young = below / "abc.block.part-1-1";
  std::ofstream(old) << std::string(5000, 'x');
  std::ofstream(young) << std::string(500, 'x');
  fs::last_write_time(
      old, fs::file_time_type::clock::now() - std::chrono::hours(25));
  CountedSource source("1");
  for (int64_t at = 0; at < 1000; at += 100) fetch(source, at);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
  uintmax_t bytes = 0;
  for (const fs::path& path : blocks()) bytes += fs::file_size(path);
  EXPECT_LE(bytes, 1000u);
}

TEST_F(BlockCacheTest, FolderThatCanNotBeWrittenDoesNoHarm) {
  std::ofstream(folder_.path() / "file") << "x";
  options_.cache_folder = (folder_.path() / "file" / "below").string();
  const StorageOptionsGuard guard(options_);
  CountedSource source("1");
  std::string told;
  set_log_sink([&](LogLevel, std::string_view text) { told += text; });
  EXPECT_EQ(fetch(source, 0), test_bytes(1000).substr(0, 100));
  EXPECT_EQ(fetch(source, 0), test_bytes(1000).substr(0, 100));
  set_log_sink({});
  // Once, not for every block.
  EXPECT_EQ(told.find("the cache of remote blocks fails: "), 0u);
  EXPECT_EQ(told.rfind("the cache of remote blocks fails: "), 0u);
}

// Its second block comes when the program ends.
class LateSource final : public RangeSource {
 public:
  void fetch(int64_t offset, std::span<std::byte> out,
             const std::stop_token& stop) override {
    std::memset(out.data(), 'x', out.size());
    if (offset == 0) return;
    late = true;
    while (!stop.stop_requested()) std::this_thread::yield();
  }
  int64_t size() const override { return 200; }
  const std::string& path() const override { return path_; }
  const std::string& version() const override { return path_; }

  std::atomic<bool> late = false;

 private:
  const std::string path_ = "gs://bucket/file";
};

// Ends the program while a block comes that is written to `folder`.
[[noreturn]] void end_with_a_block(const std::string& folder) {
  set_storage_options({.cache_folder = folder});
  const auto source = std::make_shared<LateSource>();
  static auto* file =
      read_ahead(source, {.read_ahead = 100, .block_size = 100}, "").release();
  read_part(*file, 0, 10);
  while (!source->late) std::this_thread::yield();
  std::exit(0);
}

// AddressSanitizer sees where what the block is noted in is gone.
TEST_F(BlockCacheTest, ProgramMayEndWhileABlockIsWritten) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_with_a_block(options_.cache_folder),
              ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace systolic::io::detail
