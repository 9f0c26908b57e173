// Files for the tests of this room.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "systolic/io/file_system.h"
#include "systolic/records/record_reader.h"
#include "systolic/records/record_writer.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::data {

// A file in memory; the first `wrong_reads` readings of it have a bit of byte
// `wrong_byte` turned over.
class MemoryFile final : public io::RandomAccessFile {
 public:
  explicit MemoryFile(std::string bytes, int wrong_reads = 0,
                      size_t wrong_byte = 0)
      : bytes_(std::move(bytes)),
        wrong_reads_(wrong_reads),
        wrong_byte_(wrong_byte) {}

  size_t read_at(int64_t offset, std::span<std::byte> out) override {
    const auto start = std::min(static_cast<size_t>(offset), bytes_.size());
    const size_t count = std::min(out.size(), bytes_.size() - start);
    std::memcpy(out.data(), bytes_.data() + start, count);
    const bool there = wrong_byte_ >= start && wrong_byte_ < start + count;
    if (there && wrong_reads_ > 0) {
      --wrong_reads_;
      out[wrong_byte_ - start] ^= std::byte{0x10};
    }
    return count;
  }
  int64_t size() const override { return static_cast<int64_t>(bytes_.size()); }
  const std::string& path() const override { return path_; }

 private:
  const std::string bytes_;
  const std::string path_ = "memory";
  int wrong_reads_;
  const size_t wrong_byte_;
};

// `bytes` as `type` ("GZIP" or "ZLIB") packs them.
inline std::string packed(const std::string& bytes, const std::string& type) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, type == "GZIP" ? 31 : 15, 8,
               Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, bytes.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

// A folder with files of records.
class RecordFolder {
 public:
  // The path of a file in the folder.
  std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  // Writes a file of records, and gives its path.
  std::string write_records(const std::string& name,
                            const std::vector<std::string>& records,
                            const TFRecordOptions& options = {}) const {
    TFRecordWriter writer(path(name), options);
    for (const std::string& record : records) writer.write(record);
    writer.close();
    return path(name);
  }
  // Writes a file of bytes, and gives its path.
  std::string write(const std::string& name, const std::string& bytes) const {
    io::write_file(path(name), bytes);
    return path(name);
  }

 private:
  systolic::testing::TemporaryFolder folder_;
};

// The records that are left in a reader.
inline std::vector<std::string> read_all(RecordReader& reader) {
  std::vector<std::string> records;
  for (std::string_view record; reader.read(&record);) {
    records.emplace_back(record);
  }
  return records;
}
inline std::vector<std::string> read_all(
    const std::string& path, const RecordReaderOptions& options = {}) {
  RecordReader reader(path, options);
  return read_all(reader);
}

}  // namespace systolic::data
