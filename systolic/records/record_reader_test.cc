#include "systolic/records/record_reader.h"

#include <gtest/gtest.h>

#include <fstream>

#include "systolic/data/test_helpers.h"
#include "systolic/records/record_format.h"
#include "systolic/records/test_files.h"

namespace systolic::data {
namespace {

using Records = std::vector<std::string>;

const Records kRecords{"first", "", std::string(300, 'x'), "last"};

// What a reader of `bytes` says is wrong with them first.
struct Damage {
  RecordCheck check;
  int64_t record;
  int64_t offset;
  std::string text;
};
std::optional<Damage> damage(const std::string& bytes,
                             const RecordReaderOptions& options = {}) {
  RecordReader reader(std::make_unique<MemoryFile>(bytes), options);
  try {
    read_all(reader);
  } catch (const RecordError& error) {
    return Damage{error.check(), error.record(), error.offset(), error.what()};
  }
  return std::nullopt;
}

// Expects damage that is named by file, record and bytes.
void expect_placed(const std::optional<Damage>& found,
                   const std::string& where) {
  ASSERT_TRUE(found) << where;
  const auto record = static_cast<size_t>(found->record);
  ASSERT_LE(record, kRecords.size()) << where;
  int64_t start = 0;
  for (size_t i = 0; i < record; ++i) {
    start += static_cast<int64_t>(kRecords[i].size() + 16);
  }
  EXPECT_EQ(found->offset, start) << where;
  EXPECT_NE(
      found->text.find("\n  file: memory\n  record: " + std::to_string(record) +
                       " (counted from 0), at byte " + std::to_string(start) +
                       " of what "),
      std::string::npos)
      << found->text;
  EXPECT_EQ(found->check == RecordCheck::unpacking,
            found->text.find(" of the packed file\n") != std::string::npos)
      << found->text;
}

class RecordReaderTest : public ::testing::Test {
 protected:
  std::string plain() const {
    return io::read_file(folder_.write_records("plain", kRecords));
  }
  const RecordFolder folder_;
};

TEST_F(RecordReaderTest, ReadsWhatWasWritten) {
  const std::string path = folder_.write_records("a", kRecords);
  EXPECT_EQ(read_all(path), kRecords);
  for (const int64_t buffer_size : {1, 7, 16, 1 << 20}) {
    EXPECT_EQ(read_all(path, {.buffer_size = buffer_size}), kRecords);
  }
  EXPECT_EQ(read_all(folder_.write("empty", "")), Records{});
}

// C066: the size on disk says nothing of the records.
TEST_F(RecordReaderTest, PackedFilesHaveTheSameRecords) {
  Records records;
  for (int i = 0; i < 1000; ++i) {
    records.push_back(std::string(static_cast<size_t>(i), 'a'));
  }
  for (const char* type : {"", "GZIP", "ZLIB"}) {
    const std::string path =
        folder_.write_records("p", records, {.compression_type = type});
    EXPECT_EQ(read_all(path, {.compression_type = type}), records) << type;
    EXPECT_EQ(read_all(path, {.compression_type = "AUTO"}), records) << type;
    EXPECT_EQ(read_all(path, {.compression_type = type, .buffer_size = 10}),
              records);
  }
}

TEST_F(RecordReaderTest, AutoTellsARecordOfThatLengthFromZlib) {
  // The lengths' lowest bytes are those of a ZLIB file, and of GZIP's.
  for (const size_t size : {0x9c78, 0x0178, 0x8b1f}) {
    const Records records{std::string(size, 'r')};
    EXPECT_EQ(read_all(folder_.write_records("r", records),
                       {.compression_type = "AUTO"}),
              records)
        << size;
  }
}

// C065.
TEST_F(RecordReaderTest, JoinedGzipMembersAreReadToTheEnd) {
  const TFRecordOptions gzip{.compression_type = "GZIP"};
  const std::string joined =
      io::read_file(folder_.write_records("a", {"one", "two"}, gzip)) +
      io::read_file(folder_.write_records("b", {"three"}, gzip));
  EXPECT_EQ(read_all(folder_.write("joined", joined),
                     {.compression_type = "GZIP", .buffer_size = 3}),
            (Records{"one", "two", "three"}));
}

// C065.
TEST_F(RecordReaderTest, PackedOtherwiseThanSaidIsNamed) {
  const std::string path = folder_.write_records("a", kRecords);
  const std::string gzip =
      folder_.write_records("g", kRecords, {.compression_type = "GZIP"});
  const std::string zlib =
      folder_.write_records("z", kRecords, {.compression_type = "ZLIB"});
  EXPECT_EQ(text_of<DataError>([&] { read_all(gzip); }),
            "RecordReader: expected a file of records that are not packed, as "
            "compression_type \"\" says, got one that starts as GZIP does\n"
            "  file: " +
                gzip +
                "\n"
                "  hint: give compression_type = \"GZIP\", or \"AUTO\", which "
                "finds out");
  EXPECT_NE(text_of<DataError>([&] {
              read_all(zlib);
            }).find("got one that starts as ZLIB does"),
            std::string::npos);
  EXPECT_EQ(
      text_of<DataError>([&] { read_all(path, {.compression_type = "GZIP"}); }),
      "RecordReader: expected a file packed with GZIP, as "
      "compression_type says, got one that starts with other bytes\n"
      "  file: " +
          path +
          "\n"
          "  byte: 2 of the packed file\n"
          "  hint: give compression_type = \"\", or \"AUTO\", which finds "
          "out");
  EXPECT_NE(text_of<DataError>([&] {
              read_all(zlib, {.compression_type = "GZIP"});
            }).find("starts as ZLIB does"),
            std::string::npos);
}

TEST_F(RecordReaderTest, DamageIsNamed) {
  std::string bytes = plain();
  bytes[12 + 5 + 4 + 16 + 12] ^= 1;  // the data of record 2
  EXPECT_EQ(damage(bytes)->text,
            "RecordReader: expected a record's data to have its checksum, got "
            "0x219482cd, while its bytes have 0xdc811f39\n"
            "  file: memory\n"
            "  record: 2 (counted from 0), at byte 37\n"
            "  check: checksum of the data\n"
            "  hint: `systolic records verify` lists all damage, `systolic "
            "records repair` copies what is whole");
}

TEST_F(RecordReaderTest, EveryBitFlipIsReported) {
  const std::string bytes = plain();
  // Where each record begins.
  std::vector<int64_t> starts{0};
  for (const std::string& record : kRecords) {
    starts.push_back(starts.back() + static_cast<int64_t>(record.size() + 16));
  }
  size_t record = 0;
  for (size_t byte = 0; byte < bytes.size(); ++byte) {
    if (static_cast<int64_t>(byte) == starts[record + 1]) ++record;
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = bytes;
      flipped[byte] = static_cast<char>(flipped[byte] ^ (1 << bit));
      const auto found = damage(flipped);
      ASSERT_TRUE(found) << byte << ":" << bit;
      EXPECT_EQ(found->record, static_cast<int64_t>(record));
      EXPECT_EQ(found->offset, starts[record]);
      const auto in = static_cast<int64_t>(byte) - starts[record];
      EXPECT_EQ(found->check, in < 12 ? RecordCheck::length_checksum
                                      : RecordCheck::data_checksum);
    }
  }
}

TEST_F(RecordReaderTest, EveryTruncationIsReported) {
  const std::string bytes = plain();
  std::vector<size_t> ends{0};
  for (const std::string& record : kRecords) {
    ends.push_back(ends.back() + record.size() + 16);
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    // What is left of a file cut between records is a whole file.
    const bool between =
        std::find(ends.begin(), ends.end(), size) != ends.end();
    const auto found = damage(bytes.substr(0, size));
    ASSERT_EQ(found.has_value(), !between) << size;
    if (between) continue;
    const auto record = static_cast<size_t>(
        std::upper_bound(ends.begin(), ends.end(), size) - ends.begin() - 1);
    EXPECT_EQ(found->record, static_cast<int64_t>(record)) << size;
    EXPECT_EQ(found->offset, static_cast<int64_t>(ends[record])) << size;
    EXPECT_EQ(found->check, size - ends[record] < 12 ? RecordCheck::header_cut
                                                     : RecordCheck::data_cut)
        << size;
    EXPECT_NE(found->text.find("\n  file: memory\n"), std::string::npos);
  }
}

TEST_F(RecordReaderTest, PackedFilesDamagedAnywhereAreNotReadAsWhole) {
  for (const char* type : {"GZIP", "ZLIB"}) {
    const RecordReaderOptions options{.compression_type = type};
    const std::string bytes = io::read_file(
        folder_.write_records("p", kRecords, {.compression_type = type}));
    for (size_t size = 0; size < bytes.size(); ++size) {
      const std::string cut = bytes.substr(0, size);
      // A file that is cut within its first bytes is none of its kind.
      const bool known =
          detail::guess_compression(cut) != detail::Compression::none;
      if (known || size == 0) {
        expect_placed(damage(cut, options), type + std::to_string(size));
      } else {
        const std::string path = folder_.write("cut", cut);
        EXPECT_THROW(read_all(path, options), DataError) << type << size;
      }
    }
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      try {
        // GZIP's header has bits that mean nothing to a reader.
        RecordReader reader(std::make_unique<MemoryFile>(flipped), options);
        EXPECT_EQ(read_all(reader), kRecords) << type << bit;
      } catch (const RecordError&) {
        expect_placed(damage(flipped, options), type + std::to_string(bit));
      } catch (const DataError&) {
        EXPECT_LT(bit, 24u) << type;  // no longer that kind of file
      }
    }
  }
}

TEST_F(RecordReaderTest, ReadingGoesOnBehindDamagedData) {
  std::string bytes = plain();
  bytes[12] ^= 1;
  RecordReader reader(std::make_unique<MemoryFile>(bytes),
                      RecordReaderOptions{});
  std::string_view record;
  EXPECT_THROW(reader.read(&record), RecordError);
  EXPECT_TRUE(reader.resync());
  EXPECT_EQ(reader.index(), 1);
  EXPECT_EQ(read_all(reader), Records(kRecords.begin() + 1, kRecords.end()));
}

TEST_F(RecordReaderTest, ReadingEndsAtADamagedLengthUnlessItIsSynchronised) {
  std::string bytes = plain();
  bytes[21] ^= 1;  // the length of record 1
  RecordReader reader(std::make_unique<MemoryFile>(bytes),
                      RecordReaderOptions{});
  std::string_view record;
  EXPECT_TRUE(reader.read(&record));
  EXPECT_THROW(reader.read(&record), RecordError);
  EXPECT_FALSE(reader.read(&record));
  EXPECT_TRUE(reader.resync());
  EXPECT_EQ(reader.offset(), 37);
  EXPECT_EQ(read_all(reader), Records(kRecords.begin() + 2, kRecords.end()));
}

// C063.
TEST_F(RecordReaderTest, BytesThatAreRightTheSecondTimeAreTaken) {
  const std::string bytes = plain();
  for (const size_t wrong : {size_t{3}, size_t{9}, size_t{13}, size_t{40}}) {
    LogCapture log;
    RecordReader reader(
        std::make_unique<MemoryFile>(bytes, /*wrong_reads=*/1, wrong),
        RecordReaderOptions{});
    EXPECT_EQ(read_all(reader), kRecords) << wrong;
    ASSERT_EQ(log.lines.size(), 1u);
    EXPECT_NE(log.lines[0].find("was read wrong and, when read again, right: "
                                "the checksum 0x"),
              std::string::npos)
        << log.lines[0];
  }
  RecordReader reader(std::make_unique<MemoryFile>(bytes, 2, 13),
                      RecordReaderOptions{});
  EXPECT_THROW(read_all(reader), RecordError);
}

TEST_F(RecordReaderTest, SeeksToAPositionItSaid) {
  for (const char* type : {"", "GZIP"}) {
    const std::string path =
        folder_.write_records("s", kRecords, {.compression_type = type});
    for (size_t skip = 0; skip <= kRecords.size(); ++skip) {
      RecordReader reader(path, {.compression_type = type, .buffer_size = 8});
      std::string_view record;
      for (size_t i = 0; i < skip; ++i) reader.read(&record);
      RecordReader other(path, {.compression_type = type, .buffer_size = 8});
      other.seek(reader.offset(), reader.index());
      EXPECT_EQ(read_all(other),
                Records(kRecords.begin() + static_cast<int64_t>(skip),
                        kRecords.end()));
      EXPECT_EQ(other.index(), static_cast<int64_t>(kRecords.size()));
      other.seek(0, 0);
      EXPECT_EQ(read_all(other), kRecords);
    }
  }
}

TEST_F(RecordReaderTest, LengthsThatNoFileHasTakeNoMemory) {
  char header[16] = {};
  detail::store_little<uint64_t>(uint64_t{1} << 61, header);
  detail::store_little(detail::mask_crc32c(detail::crc32c({header, 8})),
                       header + 8);
  const auto found = damage(std::string(header, 16));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->check, RecordCheck::data_cut);
}

TEST_F(RecordReaderTest, RefusesWhatIsNotThere) {
  EXPECT_THROW(read_all(folder_.path("none")), NotFoundError);
  EXPECT_EQ(text_of<ValueError>(
                [&] { read_all(folder_.write("e", ""), {.buffer_size = 0}); }),
            "RecordReader: expected buffer_size of 1 byte or more, got 0");
}

}  // namespace
}  // namespace systolic::data
