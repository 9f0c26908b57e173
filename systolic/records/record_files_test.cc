#include "systolic/records/record_files.h"

#include <gtest/gtest.h>

#include <set>

#include "systolic/data/test_helpers.h"
#include "systolic/records/example_text.h"
#include "systolic/records/parse_example.h"
#include "systolic/records/test_files.h"

namespace systolic::data {
namespace {

using Strings = std::vector<std::string>;

class RecordFilesTest : public ::testing::Test {
 protected:
  const RecordFolder folder_;
};

TEST_F(RecordFilesTest, VerifyCountsWhatIsWhole) {
  const std::string path = folder_.write_records("a", {"one", "", "three"});
  Strings seen;
  std::vector<int64_t> offsets;
  const RecordFileReport report = verify_records(
      path, {}, [&](std::string_view record, int64_t index, int64_t offset) {
        EXPECT_EQ(index, static_cast<int64_t>(seen.size()));
        seen.emplace_back(record);
        offsets.push_back(offset);
      });
  EXPECT_EQ(seen, (Strings{"one", "", "three"}));
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 19, 35}));
  EXPECT_EQ(report.records, 3);
  EXPECT_EQ(report.record_bytes, 8);
  EXPECT_EQ(report.smallest, 0);
  EXPECT_EQ(report.largest, 5);
  EXPECT_EQ(report.file_bytes, 8 + 3 * 16);
  EXPECT_EQ(report.compression, "none");
  EXPECT_TRUE(report.problems.empty());
}

TEST_F(RecordFilesTest, VerifyFindsAllDamage) {
  std::string bytes =
      io::read_file(folder_.write_records("a", {"one", "two", "six", "ten"}));
  bytes[12] ^= 1;      // the data of one
  bytes[19 * 2] ^= 1;  // the length of six
  bytes.resize(bytes.size() - 2);
  const RecordFileReport report = verify_records(folder_.write("b", bytes));
  ASSERT_EQ(report.problems.size(), 2u);
  EXPECT_EQ(report.problems[0].check, RecordCheck::data_checksum);
  EXPECT_EQ(report.problems[0].offset, 0);
  EXPECT_EQ(report.problems[1].check, RecordCheck::length_checksum);
  EXPECT_EQ(report.problems[1].offset, 38);
  EXPECT_EQ(report.problems[1].record, 2);
  EXPECT_EQ(report.records, 1);
}

TEST_F(RecordFilesTest, RepairKeepsWhatIsWhole) {
  std::string bytes =
      io::read_file(folder_.write_records("a", {"one", "two", "six", "ten"}));
  bytes[19] ^= 1;
  const std::string to = folder_.path("repaired");
  const RecordFileReport report = repair_records(folder_.write("b", bytes), to);
  EXPECT_EQ(report.records, 3);
  EXPECT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(read_all(to), (Strings{"one", "six", "ten"}));
}

TEST_F(RecordFilesTest, RepairKeepsWhatCanBeUnpacked) {
  const Strings records(1000, "the same record again and again");
  const std::string bytes = io::read_file(folder_.write_records(
      "a", records, {.compression_type = "GZIP", .compression_level = 0}));
  const std::string to = folder_.path("repaired");
  const RecordFileReport report =
      repair_records(folder_.write("b", bytes.substr(0, bytes.size() / 2)), to);
  EXPECT_EQ(report.problems.size(), 1u);
  EXPECT_GT(report.records, 0);
  EXPECT_LT(report.records, 1000);
  EXPECT_EQ(read_all(to, {.compression_type = "GZIP"}),
            Strings(static_cast<size_t>(report.records), records[0]));
}

TEST_F(RecordFilesTest, RepairNeverReplacesTheOnlyCopy) {
  std::string bytes = io::read_file(
      folder_.write_records("a", {"one"}, {.compression_type = "GZIP"}));
  bytes[0] ^= 1;  // no longer looks packed
  const std::string path = folder_.write("b", bytes);
  const auto text =
      text_of<ValueError>([&] { repair_records(path, folder_.path("./b")); });
  EXPECT_NE(text.find("one that would replace \"" + path + "\""),
            std::string::npos)
      << text;
  EXPECT_EQ(io::read_file(path), bytes);
  // Nothing can be saved: no empty file says otherwise.
  const std::string old = folder_.write_records("old", {"kept"});
  EXPECT_FALSE(repair_records(path, old).problems.empty());
  EXPECT_EQ(read_all(old), Strings{"kept"});
  const std::string empty = folder_.write("empty", "");
  repair_records(empty, folder_.path("new"));
  EXPECT_TRUE(io::exists(folder_.path("new")));
}

TEST_F(RecordFilesTest, VerifyNotesWhereUnpackingEnds) {
  const Strings records(1000, "the same record again and again");
  const std::string bytes = io::read_file(folder_.write_records(
      "a", records, {.compression_type = "GZIP", .compression_level = 0}));
  const RecordFileReport report =
      verify_records(folder_.write("b", bytes.substr(0, bytes.size() / 2)));
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].check, RecordCheck::unpacking);
  EXPECT_EQ(report.problems[0].record, report.records);
  EXPECT_EQ(report.problems[0].offset, report.records * (31 + 16));
  EXPECT_GT(report.records, 0);
}

TEST_F(RecordFilesTest, ReshardNeverReplacesItsInputs) {
  const std::string a =
      folder_.write_records("x-00000-of-00002.tfrecord", {"1", "2"});
  const std::string b = folder_.write_records("b", {"3"});
  EXPECT_THROW(reshard_records({b, a}, folder_.path("./x"), {.num_shards = 2}),
               ValueError);
  EXPECT_EQ(read_all(a), (Strings{"1", "2"}));
  EXPECT_EQ(io::glob(folder_.path("*")).size(), 2u);
}

TEST_F(RecordFilesTest, OldShardsAreNotMixedWithNewOnes) {
  const std::string a = folder_.write_records("a", {"1", "2"});
  const std::string to = folder_.path("new/x");
  reshard_records({a}, to, {.num_shards = 2});
  reshard_records({a}, to, {.num_shards = 2});  // over those before
  // Other files than shards of this prefix do not matter.
  io::write_file(to + "-00000-of-00005.tfrecord.bak", "");
  io::write_file(to + "y-00000-of-00005.tfrecord", "");
  const std::string text =
      text_of<ValueError>([&] { reshard_records({a}, to, {.num_shards = 1}); });
  EXPECT_NE(text.find("expected no files of another number of shards than 1 "
                      "beside the new ones, got \"" +
                      to + "-0000"),
            std::string::npos)
      << text;
  EXPECT_EQ(io::glob(to + "-*.tfrecord").size(), 2u);
  io::remove(to + "-00000-of-00002.tfrecord");
  io::remove(to + "-00001-of-00002.tfrecord");
  EXPECT_EQ(reshard_records({a}, to, {.num_shards = 1}).records, 2);
}

TEST_F(RecordFilesTest, ReshardReadsFilesAsTold) {
  const std::string a =
      folder_.write_records("a", {"1"}, {.compression_type = "GZIP"});
  EXPECT_THROW(reshard_records({a}, folder_.path("new"),
                               {.num_shards = 1, .input_compression_type = ""}),
               DataError);
}

TEST_F(RecordFilesTest, ReshardKeepsEveryRecord) {
  const std::string a = folder_.write_records("a", {"1", "2", "3"});
  const std::string b =
      folder_.write_records("b", {"4", "5"}, {.compression_type = "GZIP"});
  const ReshardReport report =
      reshard_records({a, b}, folder_.path("new"), {.num_shards = 2});
  EXPECT_EQ(report.records, 5);
  ASSERT_EQ(report.paths.size(), 2u);
  EXPECT_EQ(read_all(report.paths[0]), (Strings{"1", "3", "5"}));
  EXPECT_EQ(read_all(report.paths[1]), (Strings{"2", "4"}));
  const ReshardReport mixed = reshard_records(
      {a, b}, folder_.path("mixed"),
      {.num_shards = 1, .compression_type = "ZLIB", .shuffle_seed = 1});
  const Strings records =
      read_all(mixed.paths[0], {.compression_type = "ZLIB"});
  EXPECT_EQ(std::set<std::string>(records.begin(), records.end()).size(), 5u);
  EXPECT_NE(records, (Strings{"1", "2", "3", "4", "5"}));
}

TEST_F(RecordFilesTest, ReshardOfDamageWritesNothing) {
  std::string bytes = io::read_file(folder_.write_records("a", {"1", "2"}));
  bytes[12] ^= 1;
  EXPECT_THROW(reshard_records({folder_.write("b", bytes)}, folder_.path("new"),
                               {.num_shards = 2}),
               RecordError);
  EXPECT_TRUE(io::glob(folder_.path("new*")).empty());
  EXPECT_THROW(reshard_records({}, folder_.path("x"), {.num_shards = 0}),
               ValueError);
  EXPECT_THROW(reshard_records({}, folder_.path("x"), {.shard_bytes = 0}),
               ValueError);
}

TEST_F(RecordFilesTest, PicturesArePackedWithTheirClasses) {
  io::write_file(folder_.path("in/daisy/1.jpg"), "\xff\xd8\xff one");
  io::write_file(folder_.path("in/daisy/notes.txt"), "no picture");
  io::write_file(folder_.path("in/rose/2.PNG"), "\x89PNG two");
  io::write_file(folder_.path("in/rose/red/dark/3.jpg"), "\xff\xd8\xff red");
  io::write_file(folder_.path("in/top.jpg"), "of no class");
  io::write_file(folder_.path("in/.cache/3.jpg"), "hidden");
  const ReshardReport report =
      pack_pictures(folder_.path("in"), folder_.path("flowers"));
  EXPECT_EQ(report.records, 3);
  ASSERT_EQ(report.paths.size(), 1u);
  std::set<std::string> texts;
  for (const std::string& record : read_all(report.paths[0])) {
    texts.insert(example_text(record));
  }
  EXPECT_EQ(texts,
            (std::set<std::string>{"class: int64 [0]\nfilename: \"1.jpg\"\n"
                                   "image: 7 bytes (JPEG)\nlabel: \"daisy\"\n"
                                   "one_hot_class: float32 [1.0, 0.0]\n",
                                   "class: int64 [1]\nfilename: \"2.PNG\"\n"
                                   "image: 8 bytes (PNG)\nlabel: \"rose\"\n"
                                   "one_hot_class: float32 [0.0, 1.0]\n",
                                   "class: int64 [1]\nfilename: \"3.jpg\"\n"
                                   "image: 7 bytes (JPEG)\nlabel: \"rose\"\n"
                                   "one_hot_class: float32 [0.0, 1.0]\n"}));
  int64_t all = 0;
  int64_t done = 0;
  EXPECT_EQ(pack_pictures(folder_.path("in"), folder_.path("again"),
                          {.begin = [&](int64_t bytes) { all = bytes; },
                           .progress = [&](std::string_view,
                                           int64_t bytes) { done = bytes; }})
                .records,
            3);
  EXPECT_EQ(all, 7 + 8 + 7);
  EXPECT_EQ(done, all);
  EXPECT_THROW(pack_pictures(folder_.path("in/daisy"), folder_.path("x")),
               NotFoundError);
}

}  // namespace
}  // namespace systolic::data
