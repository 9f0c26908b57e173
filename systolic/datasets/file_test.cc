#include "systolic/datasets/file.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/datasets/test_files.h"

namespace systolic::datasets::detail {
namespace {

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(DatasetFileTest, ReadsPlainAndGzipFiles) {
  const TemporaryFolder folder;
  const std::string text = idx_text({1000, 700}, 251);
  write_text(folder.path() / "plain", text);
  write_gzip(folder.path() / "packed", text);
  EXPECT_EQ(text_of(read_file(folder.path() / "plain", "")), text);
  EXPECT_EQ(text_of(read_file(folder.path() / "packed", "")), text);
  write_text(folder.path() / "empty", "");
  EXPECT_TRUE(read_file(folder.path() / "empty", "").empty());
}

TEST(DatasetFileTest, PackedFilesBehindEachOtherAreOne) {
  const TemporaryFolder folder;
  const std::string text = idx_text({1000, 700}, 251);
  write_gzip(folder.path() / "a", text.substr(0, 1000));
  write_gzip(folder.path() / "b", text.substr(1000));
  write_gzip(folder.path() / "empty", "");
  const std::string both = read_text(folder.path() / "a") +
                           read_text(folder.path() / "b") +
                           read_text(folder.path() / "empty");
  write_text(folder.path() / "both", both);
  EXPECT_EQ(text_of(read_file(folder.path() / "both", "")), text);
  // Tapes are filled up with zeros.
  write_text(folder.path() / "both", both + std::string(512, '\0'));
  EXPECT_EQ(text_of(read_file(folder.path() / "both", "")), text);
  write_text(folder.path() / "both", both.substr(0, both.size() - 3));
  EXPECT_THROW(read_file(folder.path() / "both", ""), DataError);
}

TEST(DatasetFileTest, AMissingFileIsNamed) {
  EXPECT_EQ(internal::text_of<NotFoundError>([] { read_file("no/such", ""); }),
            "datasets: expected a file that can be read, got no/such");
}

TEST(DatasetFileTest, ACutOrDamagedGzipFileIsNamed) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "packed";
  write_gzip(path, idx_text({300, 70}, 251));
  std::string text = read_text(path);
  write_text(path, text.substr(0, 100));
  EXPECT_EQ(internal::text_of<DataError>([&] { read_file(path, "again"); }),
            "datasets: expected a whole gzip file, got its end\n"
            "  file: " +
                path.string() +
                "\n"
                "  check: gzip\n"
                "  offset: 100\n"
                "  hint: again");
  text[text.size() - 6] ^= 1;  // in the checksum
  write_text(path, text);
  EXPECT_THROW(read_file(path, ""), DataError);
}

}  // namespace
}  // namespace systolic::datasets::detail
