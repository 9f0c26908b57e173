#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "systolic/io/file_system.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::io {
namespace {

using Paths = std::vector<std::string>;

class GlobTest : public ::testing::Test {
 protected:
  GlobTest() {
    for (const char* name : {"a.x", "b.x", "c.y", ".hidden.x", "d1/a.x",
                             "d1/e/f/a.x", "d2/a.x", "d2/b.y", "other/a.x"}) {
      write_file(in(name), name);
    }
  }

  std::string in(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  // The matches, without the folder.
  Paths names(const std::string& pattern) const {
    Paths found = glob(in(pattern));
    const size_t begin = in("").size();
    for (std::string& path : found) path = path.substr(begin);
    return found;
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(GlobTest, StopsAtASlash) {
  EXPECT_EQ(names("*.x"), (Paths{"a.x", "b.x"}));
  EXPECT_EQ(names("d*/a.x"), (Paths{"d1/a.x", "d2/a.x"}));
  EXPECT_EQ(names("d?/*.[yz]"), (Paths{"d2/b.y"}));
  EXPECT_EQ(names("d*"), (Paths{"d1", "d2"}));
}

TEST_F(GlobTest, SlashAtTheEndGivesFolders) {
  EXPECT_EQ(names("*/"), (Paths{"d1", "d2", "other"}));
  EXPECT_EQ(names("d*/*/"), (Paths{"d1/e"}));
  EXPECT_EQ(names("*/e/"), (Paths{"d1/e"}));
  EXPECT_EQ(names("*/a.x/"), Paths());
  EXPECT_EQ(names("a.x/"), Paths());
}

TEST_F(GlobTest, BracesWithoutACommaAreCharacters) {
  write_file(in("{3F25-04E0}/a.x"), "");
  EXPECT_EQ(names("{3F25-04E0}/*.x"), (Paths{"{3F25-04E0}/a.x"}));
  EXPECT_EQ(names("{3F25-04E0}/a.x"), (Paths{"{3F25-04E0}/a.x"}));
}

TEST_F(GlobTest, TwoStarsCrossFolders) {
  EXPECT_EQ(names("**/a.x"),
            (Paths{"a.x", "d1/a.x", "d1/e/f/a.x", "d2/a.x", "other/a.x"}));
  EXPECT_EQ(names("d1/**"), (Paths{"d1/a.x", "d1/e/f/a.x"}));
  EXPECT_EQ(names("d**y"), (Paths{"d2/b.y"}));
}

TEST_F(GlobTest, BracesAreSortedAndGiveEachPathOnce) {
  EXPECT_EQ(names("{b,a,*}.x"), (Paths{"a.x", "b.x"}));
  EXPECT_EQ(glob({in("b.x"), in("*.x"), in("none")}),
            (Paths{in("a.x"), in("b.x")}));
}

TEST_F(GlobTest, PathWithoutWildcardsIsItself) {
  EXPECT_EQ(names("d1/a.x"), (Paths{"d1/a.x"}));
  EXPECT_EQ(names("d1"), (Paths{"d1"}));
  EXPECT_EQ(names("d1/none"), Paths());
  EXPECT_EQ(glob("file://" + in("a.x")), (Paths{"file://" + in("a.x")}));
}

TEST_F(GlobTest, SchemeIsKept) {
  EXPECT_EQ(glob("file://" + in("*.y")), (Paths{"file://" + in("c.y")}));
}

TEST_F(GlobTest, FolderThatIsNotThereHasNoMatches) {
  EXPECT_EQ(names("none/*"), Paths());
  EXPECT_EQ(names("a.x/*"), Paths());
  EXPECT_EQ(names("*/none/*"), Paths());
}

TEST_F(GlobTest, LinksToFoldersAreNotFollowedForEver) {
  std::filesystem::create_directory_symlink(folder_.path(),
                                            folder_.path() / "d1" / "loop");
  EXPECT_EQ(names("d1/**"), (Paths{"d1/a.x", "d1/e/f/a.x"}));
  EXPECT_EQ(names("d1/*/c.y"), (Paths{"d1/loop/c.y"}));
}

TEST_F(GlobTest, FolderThatIsClosedHidesNoOthers) {
  namespace fs = std::filesystem;
  fs::permissions(folder_.path(), fs::perms::all);
  fs::permissions(in("d1"), fs::perms::none);
  // Root may read everything.
  const bool root = geteuid() == 0;
  constexpr uid_t kNobody = 65534;
  if (root) {
    ASSERT_EQ(seteuid(kNobody), 0);
  }
  Paths all;
  Paths some;
  Paths ones;
  EXPECT_NO_THROW({
    all = names("**/a.x");
    some = names("*/*.x");
    ones = names("*/a.x");
  });
  EXPECT_THROW(names("d1/*"), PermissionDeniedError);
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  fs::permissions(in("d1"), fs::perms::all);
  EXPECT_EQ(all, (Paths{"a.x", "d2/a.x", "other/a.x"}));
  EXPECT_EQ(some, (Paths{"d2/a.x", "other/a.x"}));
  EXPECT_EQ(ones, (Paths{"d2/a.x", "other/a.x"}));
}

TEST(GlobRelativeTest, RelativePatternGivesRelativePaths) {
  // Tests run in the repository's root.
  EXPECT_EQ(glob("systolic/rooms.t*"), (Paths{"systolic/rooms.txt"}));
  EXPECT_EQ(glob("CMakeL*.txt"), (Paths{"CMakeLists.txt"}));
}

}  // namespace
}  // namespace systolic::io
