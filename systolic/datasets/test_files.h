// Small idx files that the tests of this room write themselves.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "systolic/base/sha256.h"
#include "systolic/datasets/file.h"
#include "systolic/datasets/sources.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::datasets::detail {

using internal::sha256;
using testing::TemporaryFolder;

// An idx file of uint8 whose element i is i modulo `modulus`.
inline std::string idx_text(const std::vector<int>& shape, int modulus) {
  std::string text = {0, 0, 8, static_cast<char>(shape.size())};
  int64_t count = 1;
  for (int size : shape) {
    for (int shift : {24, 16, 8, 0}) {
      text += static_cast<char>(size >> shift & 255);
    }
    count *= size;
  }
  for (int64_t i = 0; i < count; ++i) {
    text += static_cast<char>(i % modulus);
  }
  return text;
}

// A file in a tar archive, without the archive's end.
inline std::string tar_text(const std::string& name, const std::string& text) {
  std::string header(512, '\0');
  const auto put = [&](size_t place, const std::string& value) {
    header.replace(place, value.size(), value);
  };
  put(0, name);
  std::string size;
  for (size_t rest = text.size(); size.size() < 11; rest /= 8) {
    size.insert(size.begin(), static_cast<char>('0' + rest % 8));
  }
  put(124, size);
  put(148, std::string(8, ' '));
  size_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::string octal;
  for (; octal.size() < 6; sum /= 8) {
    octal.insert(octal.begin(), static_cast<char>('0' + sum % 8));
  }
  put(148, octal + std::string("\0 ", 2));
  return header + text + std::string((512 - text.size() % 512) % 512, '\0');
}

inline void write_text(const std::filesystem::path& path,
                       const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline void write_gzip(const std::filesystem::path& path,
                       const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A row of a table for a file with this content.
inline SourceFile source_of(const std::string& file, const std::string& text,
                            std::vector<std::string> addresses = {}) {
  return {.dataset = "mnist",
          .file = file,
          .sha256 = sha256(std::as_bytes(std::span(text))),
          .size = static_cast<int64_t>(text.size()),
          .addresses = std::move(addresses)};
}

using internal::text_of;

}  // namespace systolic::datasets::detail
