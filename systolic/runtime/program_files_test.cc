#include "systolic/runtime/program_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "systolic/base/log.h"
#include "systolic/io/file.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal::runtime {
namespace {

namespace fs = std::filesystem;
using systolic::testing::TemporaryFolder;

constexpr uint64_t kMuch = 1'000'000;

// A key that begins with a digit.
std::string key(char digit) { return digit + std::string(63, '0'); }

class ProgramFilesTest : public ::testing::Test {
 protected:
  ProgramFilesTest() {
    set_log_sink([this](LogLevel level, std::string_view text) {
      if (level >= LogLevel::warning) lines_.emplace_back(text);
    });
  }
  ~ProgramFilesTest() override { set_log_sink({}); }

  fs::path path(char digit) const { return place_ / (key(digit) + ".program"); }
  void write(const fs::path& path, const std::string& bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  // Makes the last use of a program look so many hours ago.
  void age(const fs::path& path, int hours) const {
    fs::last_write_time(
        path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }
  std::string keys() const {
    std::string found;
    for (const ProgramFile& file : files_.list()) {
      found += file.path.filename().string()[0];
    }
    return found;
  }

  const TemporaryFolder folder_;
  const fs::path place_ = folder_.path() / "programs";
  const ProgramFiles files_{place_, kMuch};
  const ProgramInfo info_{.platform = "cpu", .name = "an addition"};
  std::vector<std::string> lines_;
};

TEST_F(ProgramFilesTest, GivesWhatWasKept) {
  EXPECT_EQ(files_.find(key('a')), std::nullopt);
  const std::string program("\0\n\n1\xff", 5);
  files_.keep(key('a'), info_, program);
  files_.keep(key('b'), info_, "");
  EXPECT_EQ(files_.find(key('a')), program);
  EXPECT_EQ(files_.find(key('b')), "");
  EXPECT_EQ(files_.find(key('c')), std::nullopt);
  files_.keep(key('a'), info_, "newer");
  EXPECT_EQ(files_.find(key('a')), "newer");
  EXPECT_TRUE(lines_.empty()) << lines_[0];
}

TEST_F(ProgramFilesTest, EveryDamageIsFoundAndSaidInOneLine) {
  files_.keep(key('a'), info_, "the program");
  const std::string good = io::detail::read_file(path('a'));
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 4;
    write(path('a'), bad);
    EXPECT_EQ(files_.find(key('a')), std::nullopt) << "byte " << i;
    write(path('a'), good.substr(0, i));
    EXPECT_EQ(files_.find(key('a')), std::nullopt) << "cut at " << i;
  }
  write(path('a'), good + "x");
  EXPECT_EQ(files_.find(key('a')), std::nullopt);
  EXPECT_EQ(lines_.size(), 2 * good.size() + 1);
  EXPECT_EQ(lines_.back(), "program cache: " + path('a').string() +
                               " is of no use and compiled again: its bytes "
                               "have changed");
  files_.keep(key('a'), info_, "the program");
  EXPECT_EQ(files_.find(key('a')), "the program");
}

TEST_F(ProgramFilesTest, ProgramOfAnotherKeyIsNotTaken) {
  files_.keep(key('a'), info_, "a");
  fs::copy_file(path('a'), path('b'));
  EXPECT_EQ(files_.find(key('b')), std::nullopt);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_NE(lines_[0].find("it is another program's"), std::string::npos);
}

TEST_F(ProgramFilesTest, LeastRecentlyUsedAreRemoved) {
  const std::string program(1000, 'p');
  files_.keep(key('a'), info_, program);
  const uint64_t size = fs::file_size(path('a'));
  const ProgramFiles three(place_, 3 * size + 10);
  three.keep(key('b'), info_, program);
  three.keep(key('c'), info_, program);
  age(path('a'), 3);
  age(path('b'), 2);
  age(path('c'), 1);
  EXPECT_EQ(keys(), "cba");
  EXPECT_TRUE(three.find(key('a')));  // its use counts
  EXPECT_EQ(keys(), "acb");
  three.keep(key('d'), info_, program);
  EXPECT_EQ(keys(), "dac");
  const ProgramFiles one(place_, size + 10);
  one.keep(key('e'), info_, program);
  EXPECT_EQ(keys(), "e");
  EXPECT_TRUE(lines_.empty()) << lines_[0];
}

TEST_F(ProgramFilesTest, ProgramLargerThanAllTogetherIsNotKept) {
  files_.keep(key('a'), info_, "a");
  const ProgramFiles small(place_, 500);
  small.keep(key('b'), info_, std::string(501, 'p'));
  EXPECT_EQ(keys(), "a");
}

int64_t seconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}
// File systems may be some seconds off.
auto between(int64_t first, int64_t last) {
  return ::testing::AllOf(::testing::Ge(first - 60), ::testing::Le(last + 60));
}

TEST_F(ProgramFilesTest, ListSaysWhatIsThere) {
  const int64_t before = seconds_now();
  files_.keep(key('a'), {.platform = "cpu", .name = "two\nlines"}, "program");
  write(path('b'), "damaged");
  age(path('b'), 2);
  write(place_ / "notes.txt", "not ours");
  const std::vector<ProgramFile> all = files_.list();
  const int64_t after = seconds_now();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].path, path('a'));
  EXPECT_EQ(all[0].info.platform, "cpu");
  EXPECT_EQ(all[0].info.name, "two lines");
  EXPECT_EQ(all[0].bytes, fs::file_size(path('a')));
  EXPECT_THAT(all[0].info.made, between(before, after));
  EXPECT_THAT(all[0].last_use, between(before, after));
  EXPECT_EQ(all[1].info.name, "");
  EXPECT_THAT(all[1].last_use, between(before - 7200, after - 7200));
}

TEST_F(ProgramFilesTest, ClearRemovesPrograms) {
  EXPECT_EQ(files_.clear().files, 0U);
  files_.keep(key('a'), info_, "a");
  files_.keep(key('b'), info_, "b");
  const uint64_t bytes = fs::file_size(path('a')) + fs::file_size(path('b'));
  write(place_ / "notes.txt", "not ours");
  write(place_ / "short.program", "not ours");
  const RemovedFiles removed = files_.clear();
  EXPECT_EQ(removed.files, 2U);
  EXPECT_EQ(removed.bytes, bytes);
  EXPECT_TRUE(files_.list().empty());
  EXPECT_TRUE(fs::exists(place_ / "notes.txt"));
  EXPECT_TRUE(fs::exists(place_ / "short.program"));
}

TEST_F(ProgramFilesTest, WhatCrashedWritersLeftIsRemoved) {
  fs::create_directories(place_);
  const fs::path old = path('a').string() + ".part-17-0";
  const fs::path recent = path('b').string() + ".part-18-0";
  write(old, "half");
  write(recent, "half");
  age(old, 25);
  files_.keep(key('c'), info_, "c");
  EXPECT_FALSE(fs::exists(old));
  write(old, "half");
  age(old, 25);
  EXPECT_EQ(files_.clear().files, 1U);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(recent)) << "its writer may be at work";
}

TEST_F(ProgramFilesTest, FolderThatCanNotBeWrittenIsSaidOnce) {
  write(place_, "a file, not a folder");
  EXPECT_EQ(files_.find(key('a')), std::nullopt);
  files_.keep(key('a'), info_, "a");
  files_.keep(key('b'), info_, "b");
  EXPECT_EQ(files_.find(key('a')), std::nullopt);
  EXPECT_TRUE(files_.list().empty());
  EXPECT_EQ(files_.clear().files, 0U);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_NE(lines_[0].find(place_.string()), std::string::npos) << lines_[0];
}

TEST_F(ProgramFilesTest, FileThatCanNotBeReadIsSaidOnce) {
  fs::create_directories(path('a') / "taken");
  EXPECT_EQ(files_.find(key('a')), std::nullopt);
  files_.keep(key('a'), info_, "a");
  EXPECT_EQ(files_.find(key('a')), std::nullopt);
  EXPECT_EQ(lines_.size(), 1U);
}

// A limit on the size of files stands for a disk that is full.
TEST_F(ProgramFilesTest, FullDiskIsSaidOnceAndLeavesNothing) {
  files_.keep(key('a'), info_, "a");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit little = before;
  little.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  files_.keep(key('b'), info_, std::string(100'000, 'b'));
  files_.keep(key('c'), info_, std::string(100'000, 'c'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(keys(), "a");
  EXPECT_EQ(std::distance(fs::directory_iterator(place_), {}), 1);
  EXPECT_EQ(lines_.size(), 1U);
}

// Readers see a whole program or none, while others write and remove.
TEST_F(ProgramFilesTest, SeveralMayWriteReadAndRemoveAtOnce) {
  const auto work = [&](char mine) {
    const ProgramFiles files(place_, 30'000);
    for (int i = 0; i < 100; ++i) {
      const std::string program(static_cast<size_t>(5000 + i), mine);
      files.keep(key(mine), info_, program);
      files.keep(key('0'), info_, program);
      for (const char asked : {'0', 'a', 'b', 'c', 'd'}) {
        const auto found = files.find(key(asked));
        if (!found) continue;
        EXPECT_GE(found->size(), 5000U);
        EXPECT_EQ(found->find_first_not_of(found->at(0)), std::string::npos);
      }
      if (i % 25 == 0) files.clear();
    }
  };
  std::vector<std::thread> all;
  for (const char mine : {'a', 'b', 'c', 'd'}) all.emplace_back(work, mine);
  for (std::thread& one : all) one.join();
  EXPECT_TRUE(lines_.empty()) << lines_[0];
}

}  // namespace
}  // namespace systolic::internal::runtime
