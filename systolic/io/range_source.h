// Bytes that are far away: each fetch is a request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

namespace systolic::io::detail {

// One version of a remote file; safe to use from any thread.
class RangeSource {
 public:
  virtual ~RangeSource() = default;

  // Fills all of `out` with the bytes from `offset` on, which are inside of
  // the file. Throws StorageError, also when the file is another by now.
  virtual void fetch(int64_t offset, std::span<std::byte> out,
                     const std::stop_token& stop) = 0;
  // The bytes of the file.
  virtual int64_t size() const = 0;
  // The path it was opened by.
  virtual const std::string& path() const = 0;
  // Changes when the bytes do; empty where that is not known.
  virtual const std::string& version() const = 0;
};

}  // namespace systolic::io::detail
