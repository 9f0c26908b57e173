#include "systolic/platforms/verdict.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/io/file.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal::platforms {
namespace {

namespace fs = std::filesystem;
using systolic::testing::EnvironmentGuard;
using systolic::testing::TemporaryFolder;

class VerdictTest : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = set_log_sink(
        [this](LogLevel, std::string_view line) { lines_.emplace_back(line); });
  }
  void TearDown() override { set_log_sink(before_); }

  fs::path cache() const { return folder_.path() / "cache"; }
  void overwrite(const std::string& bytes) const {
    std::ofstream(verdict_file(id_), std::ios::binary) << bytes;
  }
  std::string bytes() const { return io::detail::read_file(verdict_file(id_)); }

  const std::string id_ = std::string(64, 'a');
  const TemporaryFolder folder_;
  std::vector<std::string> lines_;

 private:
  const EnvironmentGuard guard_{"XDG_CACHE_HOME", cache().string()};
  LogSink before_;
};

TEST_F(VerdictTest, IsReadAsItWasWritten) {
  EXPECT_FALSE(has_verdicts());
  EXPECT_FALSE(read_verdict(id_));
  ASSERT_TRUE(write_verdict(id_, {.checks = 40,
                                  .failed = "matmul float16",
                                  .failure = "first line\n  second: [1, 2]"}));
  EXPECT_TRUE(has_verdicts());
  const auto verdict = read_verdict(id_);
  ASSERT_TRUE(verdict);
  EXPECT_FALSE(verdict->passed());
  EXPECT_EQ(verdict->checks, 40);
  EXPECT_EQ(verdict->failed, "matmul float16");
  EXPECT_EQ(verdict->failure, "first line\n  second: [1, 2]");
  EXPECT_GT(verdict->when, 1'700'000'000);
  // The last one counts, and no file aside is left.
  ASSERT_TRUE(write_verdict(id_, {.checks = 41}));
  EXPECT_TRUE(read_verdict(id_)->passed());
  EXPECT_EQ(
      std::distance(fs::directory_iterator(cache() / "systolic" / "self_tests"),
                    fs::directory_iterator()),
      1);
  EXPECT_TRUE(lines_.empty());
}

TEST_F(VerdictTest, DamageIsSaidInOneLineAndIgnored) {
  ASSERT_TRUE(write_verdict(id_, {.checks = 40, .failed = "while int32"}));
  const std::string whole = bytes();
  struct Damage {
    std::string bytes;
    const char* problem;
  };
  std::string changed = whole;
  changed.back() = '?';
  for (const Damage& damage :
       {Damage{"", "it is not a verdict of ours"},
        Damage{"text\nof\nanother\nprogram\n", "it is not a verdict of ours"},
        Damage{whole.substr(0, 18), "its bytes have changed"},
        Damage{whole.substr(0, whole.size() - 4), "its bytes have changed"},
        Damage{changed, "its bytes have changed"}}) {
    lines_.clear();
    overwrite(damage.bytes);
    EXPECT_FALSE(read_verdict(id_));
    ASSERT_EQ(lines_.size(), 1u);
    EXPECT_EQ(lines_[0], "self-test: " + verdict_file(id_).string() +
                             " is of no use and ignored: " + damage.problem);
  }
}

TEST_F(VerdictTest, ForeignVerdictIsIgnored) {
  const std::string other(64, 'b');
  ASSERT_TRUE(write_verdict(other, {.failed = "while int32"}));
  fs::rename(verdict_file(other), verdict_file(id_));
  EXPECT_FALSE(read_verdict(id_));
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_NE(lines_[0].find("it is another plugin's"), std::string::npos);
}

TEST_F(VerdictTest, FolderThatCannotBeWrittenIsSaidInOneLine) {
  // A file where the folder should be, which stops the superuser too.
  std::ofstream(cache()) << "text";
  EXPECT_FALSE(write_verdict(id_, {.checks = 1}));
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_TRUE(lines_[0].starts_with("self-test: its result is not remembered"))
      << lines_[0];
  EXPECT_FALSE(read_verdict(id_));
  EXPECT_EQ(lines_.size(), 1u);
}

TEST_F(VerdictTest, VerdictThatCannotBeReadIsSaidInOneLine) {
  fs::create_directories(verdict_file(id_));
  EXPECT_FALSE(read_verdict(id_));
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_NE(lines_[0].find("is of no use and ignored"), std::string::npos);
}

TEST_F(VerdictTest, IdentitiesAreThoseOfTheBytes) {
  const std::string plugin = (folder_.path() / "plugin.so").string();
  const std::string kernels = (folder_.path() / "kernels.so").string();
  EXPECT_EQ(plugin_identity(plugin), "");
  EXPECT_FALSE(read_verdict(""));
  std::ofstream(plugin) << "plugin";
  EXPECT_EQ(kernels_identity(plugin, kernels), "");
  std::ofstream(kernels) << "kernels";
  EXPECT_EQ(plugin_identity(plugin).size(), 64u);
  const std::string pair = kernels_identity(plugin, kernels);
  EXPECT_NE(pair, plugin_identity(plugin));
  std::ofstream(kernels) << "other kernels";
  EXPECT_NE(kernels_identity(plugin, kernels), pair);
}

TEST_F(VerdictTest, ForcedAreThePlatformsThatTheVariableNames) {
  const EnvironmentGuard none("SYSTOLIC_FORCE_PLATFORM");
  EXPECT_FALSE(is_forced("cpu"));
  const EnvironmentGuard two("SYSTOLIC_FORCE_PLATFORM", "tpu,cpu");
  EXPECT_TRUE(is_forced("cpu"));
  EXPECT_TRUE(is_forced("tpu"));
  EXPECT_FALSE(is_forced("cuda"));
}

TEST_F(VerdictTest, TimesAreWrittenForPeople) {
  EXPECT_EQ(time_text(0), "1970-01-01 00:00 UTC");
  EXPECT_EQ(time_text(1'795'838'160), "2026-11-28 03:56 UTC");
}

}  // namespace
}  // namespace systolic::internal::platforms
