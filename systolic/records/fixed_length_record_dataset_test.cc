#include "systolic/records/fixed_length_record_dataset.h"

#include <gtest/gtest.h>

#include "systolic/data/test_helpers.h"
#include "systolic/records/test_files.h"
#include "systolic/records/test_iterators.h"

namespace systolic::data {
namespace {

using Strings = std::vector<std::string>;

TEST(FixedLengthRecordDatasetTest, ReadsBetweenHeaderAndFooter) {
  const RecordFolder folder;
  const std::string path = folder.write("x", "hhabcdf");
  const FixedLengthRecordDataset dataset(
      path, 2, {.header_bytes = 2, .footer_bytes = 1});
  EXPECT_EQ(strings(dataset), (Strings{"ab", "cd"}));
  EXPECT_EQ(dataset.element_spec().to_string(), "string[]");
  EXPECT_EQ(saved_anywhere(dataset), "");
  EXPECT_EQ(strings(FixedLengthRecordDataset(path, 7)), Strings{"hhabcdf"});
  EXPECT_EQ(strings(FixedLengthRecordDataset(folder.write("e", ""), 2)),
            Strings{});
  EXPECT_EQ(
      strings(FixedLengthRecordDataset(folder.write("h", "hf"), 2,
                                       {.header_bytes = 1, .footer_bytes = 1})),
      Strings{});
}

TEST(FixedLengthRecordDatasetTest, PackedFilesAreUnpacked) {
  const RecordFolder folder;
  for (const char* type : {"GZIP", "ZLIB"}) {
    const FixedLengthRecordDataset dataset(
        folder.write("p", packed("hhabcdf", type)), 2,
        {.header_bytes = 2,
         .footer_bytes = 1,
         .buffer_size = 2,
         .compression_type = type});
    EXPECT_EQ(strings(dataset), (Strings{"ab", "cd"}));
    EXPECT_EQ(saved_anywhere(dataset), "");
  }
}

TEST(FixedLengthRecordDatasetTest, StatesOfOtherRecordsAreRefused) {
  const RecordFolder folder;
  const std::string path = folder.write("x", "abcdefgh");
  const std::string state = FixedLengthRecordDataset(path, 2).iterator().save();
  EXPECT_EQ(text_of<ValueError>(
                [&] { FixedLengthRecordDataset(path, 4).iterator(state); }),
            "iterator state: expected record_bytes 4, header_bytes 0, "
            "footer_bytes 0 in the state of FixedLengthRecordDataset, got "
            "record_bytes 2, header_bytes 0, footer_bytes 0\n"
            "  hint: a state is restored into a pipeline of the same nodes and "
            "parameters as the one that saved it");
}

TEST(FixedLengthRecordDatasetTest, FilesOfPartsOfRecordsAreNamed) {
  const RecordFolder folder;
  const std::string path = folder.write("x", "hhabcdeff");
  EXPECT_EQ(text_of<DataError>([&] {
              strings(FixedLengthRecordDataset(
                  path, 2, {.header_bytes = 2, .footer_bytes = 2}));
            }),
            "FixedLengthRecordDataset: expected a file of whole records of 2 "
            "bytes between 2 of a header and 2 of a footer, got one of 9 "
            "bytes\n  file: " +
                path);
  EXPECT_THROW(strings(FixedLengthRecordDataset(
                   folder.write("z", packed("abcde", "ZLIB")), 2,
                   {.compression_type = "ZLIB"})),
               DataError);
  EXPECT_THROW(
      strings(FixedLengthRecordDataset(folder.write("s", "a"), 2,
                                       {.header_bytes = 1, .footer_bytes = 1})),
      DataError);
}

TEST(FixedLengthRecordDatasetTest, EmptyFilesHaveNoHeader) {
  const RecordFolder folder;
  const std::string path = folder.write("e", "");
  EXPECT_EQ(text_of<DataError>([&] {
              strings(FixedLengthRecordDataset(
                  path, 2, {.header_bytes = 2, .footer_bytes = 1}));
            }),
            "FixedLengthRecordDataset: expected a file of whole records of 2 "
            "bytes between 2 of a header and 1 of a footer, got one of 0 "
            "bytes\n  file: " +
                path);
}

TEST(FixedLengthRecordDatasetTest, RefusesSizesThatMakeNoSense) {
  EXPECT_EQ(text_of<ValueError>([] { FixedLengthRecordDataset("x", 0); }),
            "FixedLengthRecordDataset: expected record_bytes of 1 or more, "
            "got 0");
  EXPECT_THROW(FixedLengthRecordDataset("x", 1, {.header_bytes = -1}),
               ValueError);
  EXPECT_THROW(FixedLengthRecordDataset("x", 1, {.footer_bytes = -1}),
               ValueError);
}

}  // namespace
}  // namespace systolic::data
