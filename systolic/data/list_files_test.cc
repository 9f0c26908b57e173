#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/base/seed.h"
#include "systolic/data/auto_shard.h"
#include "systolic/data/test_helpers.h"
#include "systolic/io/file_system.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::data {
namespace {

using Paths = std::vector<std::string>;

Paths paths_of(const Dataset& dataset) {
  Paths paths;
  for (const std::string& path : dataset.as<std::string>()) {
    paths.push_back(path);
  }
  return paths;
}

class ListFilesTest : public ::testing::Test {
 protected:
  ListFilesTest() {
    for (int i = 0; i < 10; ++i) {
      paths_.push_back(path(std::to_string(i) + ".tfrec"));
      io::write_file(paths_.back(), "");
    }
    io::write_file(path("other.txt"), "");
  }
  std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  const testing::TemporaryFolder folder_;
  Paths paths_;
};

TEST_F(ListFilesTest, TakesSeveralPatterns) {
  const Paths two{paths_[0], paths_[1]};
  EXPECT_EQ(paths_of(Dataset::list_files({path("0*"), path("1*")},
                                         {.shuffle = false})),
            two);
  EXPECT_EQ(paths_of(Dataset::list_files({path("0*")})), Paths{paths_[0]});
  EXPECT_THROW(Dataset::list_files({"no-such-a*", "no-such-b*"}),
               NotFoundError);
}

// Hosts whose seeds differ read each file once all the same.
TEST_F(ListFilesTest, ShuffledNamesAreSharedOutBeforeTheShuffle) {
  Paths all;
  for (int64_t host = 0; host < 3; ++host) {
    set_random_seed(static_cast<uint64_t>(host));
    const Dataset names = Dataset::list_files(path("*.tfrec"));
    const Dataset source(detail::shared_files(names.node(), "files"));
    const Paths part = paths_of(source.auto_shard(3, host));
    EXPECT_GE(part.size(), 3u);
    all.insert(all.end(), part.begin(), part.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, paths_);
  // A part of them is taken first.
  const Dataset some(detail::shared_files(
      Dataset::list_files(path("*.tfrec"), {.shuffle = false}).take(4).node(),
      "files"));
  EXPECT_EQ(paths_of(some.auto_shard(3, 0)), (Paths{paths_[0], paths_[3]}));
}

TEST_F(ListFilesTest, SortedWithoutShuffling) {
  const Dataset dataset =
      Dataset::list_files(path("*.tfrec"), {.shuffle = false});
  EXPECT_EQ(paths_of(dataset), paths_);
  EXPECT_EQ(dataset.cardinality(), 10);
  EXPECT_EQ(dataset.element_spec().to_string(), "string[]");
  EXPECT_EQ(paths_of(Dataset::list_files(
                Paths{path("other*"), path("[01].tfrec"), path("1.*")},
                {.shuffle = false})),
            (Paths{paths_[0], paths_[1], path("other.txt")}));
}

TEST_F(ListFilesTest, EachPassHasAnotherOrderOfTheSeed) {
  const auto make = [&] {
    return Dataset::list_files(path("*.tfrec"), {.seed = 3});
  };
  const Dataset dataset = make();
  const Paths first = paths_of(dataset);
  const Paths second = paths_of(dataset);
  EXPECT_NE(first, second);
  EXPECT_EQ(paths_of(make()), first);
  Paths sorted = first;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, paths_);
}

TEST_F(ListFilesTest, NoFilesAreAnError) {
  EXPECT_EQ(text_of<NotFoundError>([&] { Dataset::list_files(path("*.x")); }),
            "list_files: expected files that match \"" + path("*.x") +
                "\", got none\n  hint: `*` stops at a slash, `**` does not; "
                "quote a pattern that a shell would expand");
}

}  // namespace
}  // namespace systolic::data
