#include "systolic/records/tf_record_dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "systolic/data/element_origin.h"
#include "systolic/data/test_helpers.h"
#include "systolic/records/record_reader.h"
#include "systolic/records/test_files.h"
#include "systolic/records/test_iterators.h"

namespace systolic::data {
namespace {

class TFRecordDatasetTest : public ::testing::Test {
 protected:
  const RecordFolder folder_;
  const std::vector<std::string> paths_{
      folder_.write_records("a", {"a0", "a1", "a2"}),
      folder_.write_records("b", {}), folder_.write_records("c", {"c0", "c1"})};
};

using Strings = std::vector<std::string>;

// How many files whose paths begin with `stem` this process has open.
int64_t open_files(const std::string& stem) {
  namespace fs = std::filesystem;
  int64_t count = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the listing's own descriptor
    count += fs::read_symlink(entry, gone).string().starts_with(stem) ? 1 : 0;
  }
  return count;
}

const Strings kAll{"a0", "a1", "a2", "c0", "c1"};

TEST_F(TFRecordDatasetTest, ReadsOneFileAfterTheOther) {
  const TFRecordDataset dataset(paths_);
  EXPECT_EQ(strings(dataset), kAll);
  EXPECT_EQ(strings(dataset), kAll);
  EXPECT_EQ(dataset.cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(dataset.element_spec().to_string(), "string[]");
  EXPECT_EQ(dataset.name(), "TFRecordDataset");
}

TEST_F(TFRecordDatasetTest, TakesPathsInAnyForm) {
  EXPECT_EQ(strings(TFRecordDataset(paths_[0].c_str())),
            (Strings{"a0", "a1", "a2"}));
  EXPECT_EQ(strings(TFRecordDataset(paths_[2])), (Strings{"c0", "c1"}));
  EXPECT_EQ(strings(TFRecordDataset({paths_[2], paths_[0]})),
            (Strings{"c0", "c1", "a0", "a1", "a2"}));
  const TFRecordDataset one({paths_[2]});
  EXPECT_EQ(strings(one), (Strings{"c0", "c1"}));
  const TFRecordDataset literal({"a"}, {.compression_type = "GZIP"});
  EXPECT_EQ(strings(TFRecordDataset(literal).take(0)), Strings());
  EXPECT_EQ(strings(TFRecordDataset(Array::from_strings(paths_))), kAll);
  EXPECT_EQ(strings(TFRecordDataset(
                Dataset::from_tensor_slices(Array::from_strings(paths_))
                    .repeat(2)
                    .skip(1)
                    .take(3))),
            (Strings{"c0", "c1", "a0", "a1", "a2"}));
  EXPECT_EQ(text_of<TypeError>([] { TFRecordDataset(Dataset::range(3)); }),
            "file names: expected a data set of string scalars, got one of "
            "int64[]");
  EXPECT_EQ(text_of<TypeError>([] { TFRecordDataset(Array::scalar(3)); }),
            "file names: expected a string or an axis of strings, got "
            "int32[]");
}

TEST_F(TFRecordDatasetTest, RecordsKnowWhereTheyAreFrom) {
  Iterator it = TFRecordDataset(paths_).skip(4).iterator();
  EXPECT_EQ(detail::origin_text(it.next()),
            paths_[2] + ", record 1 at byte 18");
}

TEST_F(TFRecordDatasetTest, GoesOnBehindDamage) {
  std::string bytes = io::read_file(paths_[0]);
  bytes[18 + 12] ^= 1;  // the data of a1
  io::write_file(paths_[0], bytes);
  Iterator it = TFRecordDataset(paths_).iterator();
  EXPECT_EQ(it.next().to<std::string>(), "a0");
  EXPECT_EQ(text_of<RecordError>([&] { it.next(); }).substr(0, 67),
            "TFRecordDataset: expected a record's data to have its checksum, "
            "got");
  EXPECT_EQ(it.next().to<std::string>(), "a2");
  bytes[0] ^= 1;  // a length: the rest of the file is lost
  io::write_file(paths_[0], bytes);
  Iterator other = TFRecordDataset(paths_).iterator();
  EXPECT_THROW(other.next(), RecordError);
  EXPECT_EQ(other.next().to<std::string>(), "c0");
}

TEST_F(TFRecordDatasetTest, FilesThatAreGoneAreNamed) {
  const std::string gone = folder_.path("gone");
  Iterator it = TFRecordDataset({gone, paths_[2]}).iterator();
  EXPECT_NE(text_of<NotFoundError>([&] { it.next(); }).find(gone),
            std::string::npos);
  EXPECT_EQ(it.next().to<std::string>(), "c0");
}

TEST_F(TFRecordDatasetTest, PositionIsSavedAnywhere) {
  for (const char* type : {"", "GZIP", "ZLIB"}) {
    const RecordFolder packed;
    const TFRecordOptions options{.compression_type = type};
    const TFRecordDataset dataset(
        {packed.write_records("a", {"a0", "a1", "a2"}, options),
         packed.write_records("c", {"c0", "c1"}, options)},
        {.compression_type = type, .buffer_size = 32});
    EXPECT_EQ(saved_anywhere(dataset), "") << type;
  }
}

TEST_F(TFRecordDatasetTest, ParallelReadsTakeARecordOfEachFileInTurn) {
  for (const int64_t reads : {2, 5, 16}) {
    EXPECT_EQ(strings(TFRecordDataset({paths_[0], paths_[2]},
                                      {.num_parallel_reads = reads})),
              (Strings{"a0", "c0", "a1", "c1", "a2"}));
  }
  const TFRecordDataset all(paths_, {.num_parallel_reads = AUTOTUNE});
  EXPECT_EQ(strings(all), (Strings{"a0", "c0", "a1", "c1", "a2"}));
  EXPECT_EQ(saved_anywhere(all), "");
  EXPECT_EQ(strings(TFRecordDataset(paths_, {.num_parallel_reads = 1})), kAll);
}

// C081.
TEST_F(TFRecordDatasetTest, NoMoreFilesAreOpenThanReadInParallel) {
  std::vector<std::string> paths;
  for (int i = 0; i < 20; ++i) {
    paths.push_back(folder_.write_records("n" + std::to_string(i),
                                          Strings(50, std::to_string(i))));
  }
  const std::string stem = folder_.path("n");
  for (const int64_t reads : {1, 2, 4}) {
    int64_t most = 0;
    int64_t records = 0;
    for (const auto& record :
         TFRecordDataset(paths, {.num_parallel_reads = reads})) {
      (void)record;
      ++records;
      most = std::max(most, open_files(stem));
    }
    EXPECT_EQ(records, 1000);
    EXPECT_LE(most, reads);
    EXPECT_EQ(open_files(stem), 0);
  }
}

// C067: two thousand records stay two thousand, however many read them.
TEST_F(TFRecordDatasetTest, WorkersShareTheRecordsOut) {
  std::vector<std::string> paths;
  for (int file = 0; file < 8; ++file) {
    Strings records;
    for (int i = 0; i < 250; ++i) {
      records.push_back(std::to_string(250 * file + i));
    }
    paths.push_back(folder_.write_records("w" + std::to_string(file), records));
  }
  for (const int64_t workers : {1, 2, 8}) {
    std::set<std::string> by_file;
    std::set<std::string> by_record;
    size_t read = 0;
    for (int64_t worker = 0; worker < workers; ++worker) {
      const Dataset names = FileNames(paths).dataset().shard(workers, worker);
      for (const std::string& record : strings(TFRecordDataset(names))) {
        by_file.insert(record);
        ++read;
      }
      for (const std::string& record :
           strings(TFRecordDataset(paths).shard(workers, worker))) {
        by_record.insert(record);
        ++read;
      }
    }
    EXPECT_EQ(by_file.size(), 2000u);
    EXPECT_EQ(by_record.size(), 2000u);
    EXPECT_EQ(read, 4000u);
  }
}

TEST_F(TFRecordDatasetTest, NamesAreInReports) {
  const std::string path = folder_.write_records("named", {"a", "b"});
  for (const std::optional<int64_t> reads : {std::optional<int64_t>(), {2}}) {
    const Dataset records =
        TFRecordDataset(path, {.num_parallel_reads = reads, .name = "train"});
    Iterator it = records.iterator();
    for (Element element; it.get_next(&element);) {
    }
    for (const StageReport& stage : it.report().stages) {
      EXPECT_EQ(stage.name, "TFRecordDataset \"train\"");
    }
    EXPECT_GE(it.report().stages.size(), 1u);
  }
}

// To find out how many threads wait for a network takes longer than the files.
TEST_F(TFRecordDatasetTest, FilesOfOtherMachinesAreReadByAllThreadsAtOnce) {
  EXPECT_TRUE(FileNames({"a", "gs://b/c"}).are_remote());
  EXPECT_TRUE(FileNames("https://h/f").are_remote());
  EXPECT_FALSE(FileNames({"a", "file:///b"}).are_remote());
  EXPECT_FALSE(
      FileNames(Dataset::from_tensor_slices({"gs://b/a"})).are_remote());
  const auto threads = [](const FileNames& files, int64_t reads) {
    Iterator it =
        TFRecordDataset(files, {.num_parallel_reads = reads}).iterator();
    return it.report().stages.at(0).threads;
  };
  EXPECT_EQ(threads({"gs://b/1", "gs://b/2"}, AUTOTUNE), 16);
  EXPECT_EQ(threads({"gs://b/1", "gs://b/2"}, 3), 3);
}

TEST_F(TFRecordDatasetTest, AutoShardSharesFilesOut) {
  for (const std::optional<int64_t> reads :
       {std::optional<int64_t>(), std::optional<int64_t>(2)}) {
    const Dataset all =
        TFRecordDataset({paths_[0], paths_[2]}, {.num_parallel_reads = reads});
    EXPECT_EQ(strings(all.auto_shard(2, 0)), (Strings{"a0", "a1", "a2"}));
    EXPECT_EQ(strings(all.auto_shard(2, 1)), (Strings{"c0", "c1"}));
    // More hosts than files: by records.
    EXPECT_EQ(strings(all.auto_shard(3, 0)).size(), 2u);
  }
}

TEST_F(TFRecordDatasetTest, RefusesMoreMemoryThanThereIs) {
  EXPECT_EQ(text_of<ValueError>([] {
              TFRecordDataset("a", {.buffer_size = int64_t{1} << 50});
            }),
            "TFRecordDataset: expected buffer_size of 1073741824 bytes or "
            "less, got 1125899906842624\n"
            "  hint: so many bytes of each open file stay in memory");
  EXPECT_EQ(text_of<ValueError>([] {
              TFRecordDataset("a", {.num_parallel_reads = int64_t{1} << 40});
            }),
            "TFRecordDataset: expected num_parallel_reads <= 1048576, got "
            "1099511627776\n"
            "  hint: it is the number of files that are open at once");
}

TEST_F(TFRecordDatasetTest, RefusesOptionsThatMakeNoSense) {
  EXPECT_EQ(
      text_of<ValueError>([&] { TFRecordDataset(paths_, {.buffer_size = 0}); }),
      "TFRecordDataset: expected buffer_size of 1 byte or more, got 0");
  EXPECT_EQ(text_of<ValueError>(
                [&] { TFRecordDataset(paths_, {.num_parallel_reads = 0}); }),
            "TFRecordDataset: expected num_parallel_reads >= 1 or "
            "data::AUTOTUNE, got 0");
  EXPECT_THROW(TFRecordDataset(paths_, {.compression_type = "LZ4"}),
               ValueError);
}

}  // namespace
}  // namespace systolic::data
