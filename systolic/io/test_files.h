// Bytes that tests of readers read.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "systolic/io/file_system.h"

namespace systolic::io::detail {

// Bytes of which no part is like another.
inline std::string test_bytes(size_t size) {
  std::string bytes(size, '\0');
  uint64_t state = 1;
  for (char& c : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    c = static_cast<char>(state >> 56);
  }
  return bytes;
}

// `size` bytes from `offset` on, or fewer at the end.
inline std::string read_part(RandomAccessFile& file, int64_t offset,
                             size_t size) {
  std::string bytes(size, '\0');
  bytes.resize(file.read_at(offset, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

}  // namespace systolic::io::detail
