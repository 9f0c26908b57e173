// Bytes of data-set files: reading, unpacking, complaining.
//   Bytes bytes = read_file(path, "get the file again");
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace systolic::datasets::detail {

using Bytes = std::vector<std::byte>;

// What is wrong with a file.
struct Damage {
  std::string file;
  std::string check;
  size_t offset = 0;
  std::string expected;
  std::string got;
  std::string hint;
};

// Throws the DataError that says so.
[[noreturn]] void throw_damaged(const Damage& damage);

// The bytes of a file as they are. Throws NotFoundError when it cannot be
// read.
Bytes read_bytes(const std::filesystem::path& path);

// The bytes of a file, unpacked when it is a gzip file. Throws NotFoundError
// when it cannot be read, DataError with `hint` when it does not unpack.
Bytes read_file(const std::filesystem::path& path, const std::string& hint);

// Whether these are the bytes of a gzip file.
bool is_packed(std::span<const std::byte> bytes);

// What a gzip file holds; other bytes as they are. `file` is its name for
// errors. Throws DataError when it does not unpack.
Bytes unpack(Bytes bytes, const std::string& file, const std::string& hint);

}  // namespace systolic::datasets::detail
