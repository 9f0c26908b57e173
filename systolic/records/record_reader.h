// Reads one TFRecord file, record by record. Damage is told by the file, the
// record and the byte.
//   data::RecordReader reader("train.tfrec");
//   for (std::string_view record; reader.read(&record);) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/io/file_system.h"
#include "systolic/records/byte_reader.h"

namespace systolic::data {

// Options of RecordReader.
struct RecordReaderOptions {
  // "", "GZIP", "ZLIB" or "AUTO", which looks at the first bytes.
  std::string compression_type = {};
  // The bytes read at once.
  int64_t buffer_size = int64_t{256} << 10;
  // What errors call the reader.
  std::string name = "RecordReader";
};

// What is wrong with a record.
enum class RecordCheck : uint8_t {
  header_cut,       // the file ends within the 12 bytes before the data
  length_checksum,  // the record's length does not have its checksum
  data_cut,         // the file ends within the data or their checksum
  data_checksum,    // the data do not have their checksum
  unpacking,        // the file can not be unpacked from here on
};

// "checksum of the length" and so on, as errors print it.
std::string_view name(RecordCheck check);

// A damaged record.
class RecordError : public DataError {
 public:
  RecordError(const std::string& message, RecordCheck check, int64_t record,
              int64_t offset)
      : DataError(message), check_(check), record_(record), offset_(offset) {}

  RecordCheck check() const { return check_; }
  // Which record of the file, counted from 0.
  int64_t record() const { return record_; }
  // The unpacked byte at which it begins.
  int64_t offset() const { return offset_; }

 private:
  RecordCheck check_;
  int64_t record_;
  int64_t offset_;
};

// A position in one file. Used by one thread at a time.
class RecordReader {
 public:
  // Opens the file. Throws NotFoundError, io::StorageError; ValueError for
  // options that make no sense.
  explicit RecordReader(const std::string& path,
                        const RecordReaderOptions& options = {});
  // The same of an open file.
  RecordReader(std::unique_ptr<io::RandomAccessFile> file,
               const RecordReaderOptions& options);

  // Shows the next record, which stays until the next call; false at the end.
  // Throws RecordError, after which the next call shows the record behind
  // where the damaged one's end is known, and is the end where not (resync()).
  // A wrong checksum is looked at twice: where bytes that are read again are
  // right, a warning is logged and the record is shown.
  bool read(std::string_view* record);

  // After a RecordError, goes to the next place from which a whole record with
  // right checksums can be read; false where there is none. Returns at once
  // when read() can go on by itself.
  bool resync();

  // Whether the place of the next record is not known: read() gives none.
  bool is_lost() const { return lost_; }
  // Reads no more of the file, as behind a damaged length.
  void give_up() { lost_ = true; }

  // The unpacked byte at which the next record begins.
  int64_t offset() const { return reader_.offset(); }
  // Which record is next, counted from 0.
  int64_t index() const { return index_; }
  // Goes to record `index`, which begins at the unpacked byte `offset`: what
  // offset() and index() said before.
  void seek(int64_t offset, int64_t index);

  const std::string& path() const { return reader_.path(); }
  // "none", "GZIP" or "ZLIB".
  std::string_view compression() const { return name(reader_.compression()); }

 private:
  [[noreturn]] void fail(RecordCheck check, const std::string& expected,
                         const std::string& got);
  bool read_next(std::string_view* record);
  [[noreturn]] void fail_unpacking(const detail::UnpackError& error);
  [[noreturn]] void fail_unlike_records(detail::Compression looks) const;
  bool is_right_again(int64_t offset, size_t size, std::string_view seen);
  uint64_t read_length(std::string_view header);
  bool is_record_here();

  detail::ByteReader reader_;
  int64_t index_ = 0;
  uint64_t length_ = 0;  // of the record at the reader's place
  bool lost_ = false;    // where the next record begins is not known
  std::string again_;    // bytes that were right the second time
};

}  // namespace systolic::data
