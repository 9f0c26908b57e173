#include "systolic/datasets/tar.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/datasets/test_files.h"

namespace systolic::datasets::detail {
namespace {

std::string file_of(const std::string& archive, const std::string& name) {
  const auto bytes = tar_file(
      {std::as_bytes(std::span(archive)), "a.tar", "get it again"}, name);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Tar, GivesFilesByTheirNames) {
  const std::string archive = tar_text("folder/first", "one") +
                              tar_text("folder/second", std::string(700, 'x')) +
                              tar_text("third", "") + std::string(1024, '\0');
  EXPECT_EQ(file_of(archive, "first"), "one");
  EXPECT_EQ(file_of(archive, "folder/first"), "one");
  EXPECT_EQ(file_of(archive, "second"), std::string(700, 'x'));
  EXPECT_EQ(file_of(archive, "third"), "");
}

TEST(Tar, DamageIsTold) {
  const std::string archive =
      tar_text("first", "one") + std::string(1024, '\0');
  EXPECT_EQ(text_of<DataError>([&] { file_of(archive, "second"); }),
            "datasets: expected the file second, got the archive's end\n"
            "  file: a.tar\n  check: tar\n  offset: 1024\n"
            "  hint: get it again");
  std::string changed = archive;
  changed[3] ^= 1;
  EXPECT_TRUE(text_of<DataError>([&] {
                file_of(changed, "first");
              }).starts_with("datasets: expected a header with the sum "));
  EXPECT_TRUE(
      text_of<DataError>([&] { file_of(archive.substr(0, 514), "first"); })
          .starts_with(
              "datasets: expected all 3 bytes of first, got the end of "
              "the file"));
}

}  // namespace
}  // namespace systolic::datasets::detail
