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
