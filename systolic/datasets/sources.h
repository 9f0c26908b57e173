// The table of public data sets (sources.tsv), and the way from one of its
// rows to the bytes: the cache, the user's folder, the network.
//   for (const SourceFile& file : source_files("mnist")) ...
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/datasets/file.h"

namespace systolic::datasets::detail {

// A row of the table: one file of a data set.
struct SourceFile {
  std::string dataset;
  std::string file;
  std::string sha256;  // of the unpacked file, as is the size
  // The SHA-256 is of the file as it is fetched, packed by gzip.
  bool packed = false;
  int64_t size = 0;  // 0 where it is not known
  std::vector<std::string> addresses;
};

// The rows of a table's text. Throws InternalError for a line that is none.
std::vector<SourceFile> parse_sources(std::string_view table);
// The rows of the built-in table for a data set.
std::vector<SourceFile> source_files(std::string_view dataset);
// The row of a file. Throws InternalError where the table lacks it.
const SourceFile& row_of(const std::vector<SourceFile>& sources,
                         std::string_view file);

// Where files are looked for.
struct Places {
  // Holds a folder for each data set; what was fetched is kept there.
  std::filesystem::path cache;
  // The user's folder, with the files in it or in a folder named as the set.
  std::optional<std::filesystem::path> data_dir;
};

// ${XDG_CACHE_HOME:-~/.cache}/systolic/datasets and SYSTOLIC_DATA_DIR.
Places default_places();

// A file as it was found, unpacked.
struct FoundFile {
  Bytes bytes;
  std::filesystem::path path;
  std::string hint;  // what to do when it turns out to be damaged
};

// The file from the first place that has it; a fetched one is checked and
// kept in the cache. Throws NotFoundError that lists every place looked at,
// and DataError when what was fetched is damaged everywhere.
FoundFile find_file(const SourceFile& source, const Places& places);

// Throws DataError unless the SHA-256 of an unpacked file's bytes is the
// table's, where that has one of it; `path` and `hint` are for its text.
void check_sha256(const SourceFile& source, std::span<const std::byte> bytes,
                  const std::string& path, const std::string& hint);

}  // namespace systolic::datasets::detail
