#include "systolic/records/text_line_dataset.h"

#include <gtest/gtest.h>

#include "systolic/data/element_origin.h"
#include "systolic/data/test_helpers.h"
#include "systolic/records/test_files.h"
#include "systolic/records/test_iterators.h"

namespace systolic::data {
namespace {

using Strings = std::vector<std::string>;

TEST(TextLineDatasetTest, LinesAreThoseOfTfData) {
  const RecordFolder folder;
  const std::vector<std::pair<std::string, Strings>> cases{
      {"a\r\nb\n\nc", {"a", "b", "", "c"}},
      {"a\rb\r\n", {"ab"}},
      {"", {}},
      {"\n", {""}},
      {"a\n", {"a"}},
      {"a\r", {"a"}},
      {"\r\n\r\n", {"", ""}},
  };
  for (const auto& [bytes, lines] : cases) {
    const std::string path = folder.write("t", bytes);
    EXPECT_EQ(strings(TextLineDataset(path)), lines) << bytes;
    EXPECT_EQ(strings(TextLineDataset(path, {.buffer_size = 1})), lines);
  }
}

// C073.
TEST(TextLineDatasetTest, PackedFilesAreUnpacked) {
  const RecordFolder folder;
  const std::string lines = "one\ntwo\n";
  EXPECT_EQ(strings(TextLineDataset(folder.write("g", packed(lines, "GZIP")),
                                    {.compression_type = "GZIP"})),
            (Strings{"one", "two"}));
  EXPECT_EQ(strings(TextLineDataset(folder.write("z", packed(lines, "ZLIB")),
                                    {.compression_type = "ZLIB"})),
            (Strings{"one", "two"}));
  EXPECT_EQ(strings(TextLineDataset(
                {folder.path("g"), folder.path("z"), folder.write("p", lines)},
                {.compression_type = "AUTO"})),
            (Strings{"one", "two", "one", "two", "one", "two"}));
  EXPECT_THROW(
      strings(TextLineDataset(folder.path("p"), {.compression_type = "GZIP"})),
      DataError);
}

TEST(TextLineDatasetTest, LinesKnowWhereTheyAreFrom) {
  const RecordFolder folder;
  const std::string path = folder.write("t", "one\ntwo\n");
  Iterator it = TextLineDataset(path).skip(1).iterator();
  EXPECT_EQ(detail::origin_text(it.next()), path + ", line 1 at byte 4");
}

TEST(TextLineDatasetTest, PositionIsSavedAnywhere) {
  const RecordFolder folder;
  const std::string text = "a\nbb\r\n\nlast";
  EXPECT_EQ(saved_anywhere(TextLineDataset(
                {folder.write("a", text), folder.write("b", text)},
                {.buffer_size = 4})),
            "");
  EXPECT_EQ(saved_anywhere(TextLineDataset(
                folder.write("g", packed(text, "GZIP")),
                {.compression_type = "GZIP", .buffer_size = 4})),
            "");
}

}  // namespace
}  // namespace systolic::data
