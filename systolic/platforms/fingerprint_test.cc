#include "systolic/platforms/fingerprint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "systolic/base/error.h"
#include "systolic/base/sha256.h"
#include "systolic/io/file.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal::platforms {
namespace {

namespace fs = std::filesystem;
using systolic::testing::EnvironmentGuard;
using systolic::testing::TemporaryFolder;

class FingerprintTest : public ::testing::Test {
 protected:
  void write(const std::string& text) const {
    std::ofstream(plugin_, std::ios::binary) << text;
  }
  // The files of the memory.
  std::vector<fs::path> memory() const {
    std::vector<fs::path> files;
    const fs::path place = folder_.path() / "cache/systolic/fingerprints";
    if (!fs::exists(place)) return files;
    for (const auto& entry : fs::directory_iterator(place)) {
      files.push_back(entry.path());
    }
    return files;
  }
  // Puts another digest into the memory, to see whether it is asked.
  void falsify(const std::string& digest) const {
    const fs::path file = memory().at(0);
    std::string text = io::detail::read_file(file);
    const size_t end = text.rfind('\n', text.size() - 2) + 1;
    std::ofstream(file) << text.substr(0, end) << digest << "\n";
  }

  const TemporaryFolder folder_;
  const std::string plugin_ = (folder_.path() / "plugin.so").string();

 private:
  const EnvironmentGuard cache_{"XDG_CACHE_HOME",
                                (folder_.path() / "cache").string()};
};

TEST_F(FingerprintTest, IsTheDigestOfTheWholeFile) {
  const std::string text(3'000'001, 'x');
  write(text);
  EXPECT_EQ(fingerprint(plugin_), sha256(text));
}

TEST_F(FingerprintTest, IsRememberedAndSharedByLinks) {
  write("one");
  EXPECT_EQ(fingerprint(plugin_), sha256("one"));
  falsify(sha256("another"));
  EXPECT_EQ(fingerprint(plugin_), sha256("another"));
  const fs::path link = folder_.path() / "link.so";
  fs::create_symlink(plugin_, link);
  EXPECT_EQ(fingerprint(link.string()), sha256("another"));
  EXPECT_EQ(memory().size(), 1U);
}

TEST_F(FingerprintTest, ChangedFileIsReadAgain) {
  write("one");
  fingerprint(plugin_);
  const auto time = fs::last_write_time(plugin_);
  write("two");  // the same size and, from here on, the same time
  fs::last_write_time(plugin_, time);
  EXPECT_EQ(fingerprint(plugin_), sha256("two"));
  fs::remove(plugin_);
  write("three");
  EXPECT_EQ(fingerprint(plugin_), sha256("three"));
}

TEST_F(FingerprintTest, DamagedMemoryIsReplaced) {
  write("one");
  fingerprint(plugin_);
  falsify("nothing");
  EXPECT_EQ(fingerprint(plugin_), sha256("one"));
  falsify("");
  EXPECT_EQ(fingerprint(plugin_), sha256("one"));
  std::ofstream(memory().at(0)) << "";
  EXPECT_EQ(fingerprint(plugin_), sha256("one"));
  EXPECT_NE(io::detail::read_file(memory().at(0)).find(sha256("one")),
            std::string::npos);
}

TEST_F(FingerprintTest, WorksWithoutAMemory) {
  std::ofstream(folder_.path() / "cache") << "a file, not a folder";
  write("one");
  EXPECT_EQ(fingerprint(plugin_), sha256("one"));
  EXPECT_EQ(fingerprint(plugin_), sha256("one"));
}

TEST_F(FingerprintTest, FileThatIsNotThereThrows) {
  EXPECT_THROW(fingerprint(plugin_), NotFoundError);
  EXPECT_THROW(fingerprint(folder_.path().string()), NotFoundError);
}

}  // namespace
}  // namespace systolic::internal::platforms
