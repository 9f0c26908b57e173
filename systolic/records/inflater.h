// Unpacks a GZIP or ZLIB file from front to back. GZIP's members follow each
// other without limit, as `cat a.gz b.gz` makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/file_system.h"
#include "systolic/records/compression.h"

namespace systolic::data::detail {

// Bytes that can not be unpacked.
class UnpackError : public DataError {
 public:
  UnpackError(const std::string& message, std::string problem, int64_t byte)
      : DataError(message), problem_(std::move(problem)), byte_(byte) {}

  // What zlib says: "incorrect data check".
  const std::string& problem() const { return problem_; }
  // The packed byte up to which it read.
  int64_t byte() const { return byte_; }

 private:
  std::string problem_;
  int64_t byte_;
};

// The unpacked bytes of one file, which has to outlive it.
class Inflater {
 public:
  // `who` is named by errors; `buffer_size` packed bytes are read at once.
  Inflater(std::string who, io::RandomAccessFile& file, Compression kind,
           int64_t buffer_size);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Fills `out`; fewer bytes at the end, where the next call gives 0, and
  // before damage, where it throws: UnpackError that names the file and the
  // byte where the bytes are wrong or end early, DataError for a file that was
  // not packed so.
  size_t read(std::span<char> out);

 private:
  struct Stream;

  void unpack(std::span<char> out, size_t* done);
  bool refill();
  bool start_member();
  [[noreturn]] void fail(const std::string& problem) const;

  const std::string who_;
  io::RandomAccessFile& file_;
  const Compression kind_;
  const int64_t buffer_size_;
  std::unique_ptr<char[]> input_;
  int64_t input_end_ = 0;  // in the file, of what is in input_
  std::unique_ptr<Stream> stream_;
  bool in_member_ = false;
  bool ended_ = false;
  std::exception_ptr damage_;
};

}  // namespace systolic::data::detail
