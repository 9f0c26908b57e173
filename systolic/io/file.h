// Whole files: read, and written so that others see all of one or nothing.
//
//   write_file(folder / "program", std::as_bytes(std::span(text)));
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace systolic::io::detail {

// The bytes of a file. Throws std::filesystem::filesystem_error.
std::string read_file(const std::filesystem::path& path);

// How write_file() writes.
struct WriteFileOptions {
  // Whether it waits until the disk has the bytes, which takes milliseconds:
  // else a machine that loses its power may come back with the file's name and
  // without its bytes. What is checked each time it is read, and can be made
  // again, needs no wait.
  bool to_disk = true;
};
inline constexpr WriteFileOptions kCached{.to_disk = false};

// Writes a file beside its place and then moves it there, so that others see
// it whole or not at all; makes its folder. Throws
// std::filesystem::filesystem_error and leaves nothing behind.
void write_file(const std::filesystem::path& path,
                std::span<const std::byte> bytes,
                const WriteFileOptions& options = {});

}  // namespace systolic::io::detail
