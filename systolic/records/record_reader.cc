#include "systolic/records/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/records/record_format.h"

namespace systolic::data {
namespace {

using detail::Compression;
using detail::kChecksumBytes;
using detail::kFrameBytes;
using detail::kHeaderBytes;
using internal::concatenate_text;

detail::ReadFileOptions file_options(const RecordReaderOptions& options) {
  return detail::check_file_options(options.name, options.compression_type,
                                    options.buffer_size);
}

// "0x1a2b3c4d as stored, but 0x... of what is there".
std::string checksums_text(std::string_view bytes) {
  const std::string_view data = bytes.substr(0, bytes.size() - kChecksumBytes);
  return fmt::format("{:#010x}, while its bytes have {:#010x}",
                     detail::load_little<uint32_t>(bytes.data() + data.size()),
                     detail::mask_crc32c(detail::crc32c(data)));
}

}  // namespace

std::string_view name(RecordCheck check) {
  switch (check) {
    case RecordCheck::header_cut:
      return "end of the file within a record's length";
    case RecordCheck::length_checksum:
      return "checksum of the length";
    case RecordCheck::data_cut:
      return "end of the file within a record's data";
    case RecordCheck::unpacking:
      return "unpacking";
    case RecordCheck::data_checksum:
      break;
  }
  return "checksum of the data";
}

RecordReader::RecordReader(const std::string& path,
                           const RecordReaderOptions& options)
    : reader_(options.name, path, file_options(options)) {}

RecordReader::RecordReader(std::unique_ptr<io::RandomAccessFile> file,
                           const RecordReaderOptions& options)
    : reader_(options.name, std::move(file), file_options(options)) {}

bool RecordReader::read(std::string_view* record) {
  if (lost_) return false;
  try {
    return read_next(record);
  } catch (const detail::UnpackError& error) {
    fail_unpacking(error);
  }
}

bool RecordReader::read_next(std::string_view* record) {
  const std::string_view header = reader_.peek(kHeaderBytes);
  if (header.empty()) return false;
  const uint64_t length = length_ = read_length(header);
  const std::optional<int64_t> left = reader_.left();
  // A length with its checksum is what was written, so that one that does not
  // fit means a file that was cut; what no file holds is not looked for.
  constexpr uint64_t kMost = uint64_t{1} << 62;
  const bool fits =
      length < kMost &&
      (!left || static_cast<int64_t>(length + kFrameBytes) <= *left);
  const std::string_view all =
      fits ? reader_.peek(length + kFrameBytes) : std::string_view();
  if (all.size() < length + kFrameBytes) {
    const int64_t there = left ? *left : static_cast<int64_t>(all.size());
    fail(RecordCheck::data_cut,
         concatenate_text("a record of ", length, " bytes and ", kFrameBytes,
                          " around them"),
         concatenate_text("the end of the file after ", there));
  }
  const int64_t start = reader_.offset();
  const std::string_view data = all.substr(kHeaderBytes);
  const bool right = detail::has_checksum(data) ||
                     is_right_again(start + static_cast<int64_t>(kHeaderBytes),
                                    data.size(), data);
  if (!right) {
    // Before skipping: the text looks at the bytes and the offset.
    const std::string got = checksums_text(data);
    fail(RecordCheck::data_checksum, "a record's data to have its checksum",
         got);
  }
  const std::string_view shown = again_.empty() ? data : again_;
  *record = shown.substr(0, length);
  reader_.skip(all.size());
  ++index_;
  return true;
}

// The length in a header of the bytes at the reader's place.
uint64_t RecordReader::read_length(std::string_view header) {
  again_.clear();
  if (header.size() < kHeaderBytes) {
    fail(RecordCheck::header_cut,
         concatenate_text(kHeaderBytes, " bytes before a record's data"),
         concatenate_text("the end of the file after ", header.size()));
  }
  if (!detail::has_checksum(header) &&
      !is_right_again(reader_.offset(), header.size(), header)) {
    if (reader_.offset() == 0 && reader_.compression() == Compression::none) {
      const Compression looks = detail::guess_compression(header);
      if (looks != Compression::none) {
        lost_ = true;
        fail_unlike_records(looks);
      }
    }
    fail(RecordCheck::length_checksum, "a record's length to have its checksum",
         checksums_text(header));
  }
  const std::string_view right = again_.empty() ? header : again_;
  const auto length = detail::load_little<uint64_t>(right.data());
  again_.clear();
  return length;
}

// Whether bytes that do not have their checksum have it when they are read
// again, which happens with bad memory, disks and caches between.
bool RecordReader::is_right_again(int64_t offset, size_t size,
                                  std::string_view seen) {
  std::string again;
  try {
    again = reader_.read_again(offset, size);
  } catch (const Error&) {
    return false;  // the first reading's complaint says more
  }
  if (again.size() != size || !detail::has_checksum(again)) return false;
  log(LogLevel::warning,
      fmt::format("{}: record {} (byte {}) of {} was read wrong and, when read "
                  "again, right: the checksum {}; the disk, its cache or "
                  "memory changes bytes",
                  reader_.who(), index_, reader_.offset(), reader_.path(),
                  checksums_text(seen)));
  again_ = std::move(again);
  return true;
}

bool RecordReader::resync() {
  if (!lost_) return true;
  lost_ = false;
  reader_.skip(std::min<size_t>(reader_.peek(1).size(), 1));
  while (true) {
    if (reader_.peek(kHeaderBytes).size() < kHeaderBytes) return false;
    if (is_record_here()) return true;
    reader_.skip(1);
  }
}

// Whether the bytes at the reader's place are a whole record.
bool RecordReader::is_record_here() {
  const std::string_view header = reader_.peek(kHeaderBytes);
  if (!detail::has_checksum(header)) return false;
  const auto length = detail::load_little<uint64_t>(header.data());
  const std::optional<int64_t> left = reader_.left();
  if (length > (uint64_t{1} << 62) ||
      (left && static_cast<int64_t>(length + kFrameBytes) > *left)) {
    return false;
  }
  const std::string_view all = reader_.peek(length + kFrameBytes);
  return all.size() == length + kFrameBytes &&
         detail::has_checksum(all.substr(kHeaderBytes));
}

void RecordReader::seek(int64_t offset, int64_t index) {
  reader_.seek(offset);
  index_ = index;
  lost_ = false;
}

void RecordReader::fail(RecordCheck check, const std::string& expected,
                        const std::string& got) {
  const int64_t record = index_;
  const int64_t offset = reader_.offset();
  if (check == RecordCheck::data_checksum) {
    // The length is right: the next record is where it says.
    reader_.skip(reader_.peek(length_ + kFrameBytes).size());
    ++index_;
  } else {
    lost_ = true;
  }
  const bool packed = reader_.compression() != Compression::none;
  internal::Message message(reader_.who());
  message.expected(expected)
      .got(got)
      .detail("file", reader_.path())
      .detail("record", record, " (counted from 0), at byte ", offset,
              packed ? concatenate_text(" of what ",
                                        name(reader_.compression()), " unpacks")
                     : "")
      .detail("check", name(check))
      .hint(
          "`systolic records verify` lists all damage, `systolic records "
          "repair` copies what is whole");
  throw RecordError(message.str(), check, record, offset);
}

// Names the record that could not be unpacked to its end; those before had
// their checksums.
void RecordReader::fail_unpacking(const detail::UnpackError& error) {
  lost_ = true;
  const std::string_view packed = name(reader_.compression());
  internal::Message message(reader_.who());
  message.expected("whole bytes packed with ", packed)
      .got("damaged ones")
      .detail("file", reader_.path())
      .detail("record", index_, " (counted from 0), at byte ", reader_.offset(),
              " of what ", packed, " unpacks")
      .detail("check", error.problem())
      .detail("byte", error.byte(), " of the packed file")
      .hint(
          "`systolic records repair` copies the records before it, where they "
          "are whole");
  throw RecordError(message.str(), RecordCheck::unpacking, index_,
                    reader_.offset());
}

void RecordReader::fail_unlike_records(Compression looks) const {
  internal::Message(reader_.who())
      .expected(
          "a file of records that are not packed, as compression_type "
          "\"\" says")
      .got("one that starts as ", name(looks), " does")
      .detail("file", reader_.path())
      .hint("give compression_type = \"", name(looks),
            "\", or \"AUTO\", which finds out")
      .raise<DataError>();
}

}  // namespace systolic::data
