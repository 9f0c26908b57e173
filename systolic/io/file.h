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

// Writes a file beside its place and then moves it there, so that others see
// it whole or not at all; makes its folder. Throws
// std::filesystem::filesystem_error and leaves nothing behind.
void write_file(const std::filesystem::path& path,
                std::span<const std::byte> bytes);

}  // namespace systolic::io::detail
