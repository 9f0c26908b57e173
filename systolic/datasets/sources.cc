#include "systolic/datasets/sources.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/base/sha256.h"
#include "systolic/base/user_folders.h"
#include "systolic/datasets/fetch.h"
#include "systolic/datasets/sources_table.h"
#include "systolic/io/file.h"

namespace systolic::datasets::detail {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

// The file or its packed form; first the one that the table has the SHA-256 of.
std::optional<fs::path> existing(const fs::path& folder,
                                 const SourceFile& source) {
  std::array<std::string, 2> names = {source.file, source.file + ".gz"};
  if (source.packed) std::swap(names[0], names[1]);
  for (const std::string& name : names) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / name, ignored)) return folder / name;
  }
  return std::nullopt;
}

constexpr std::string_view kPacked = "packed:";

// Throws DataError unless these bytes have the SHA-256 of the table.
void check(const SourceFile& source, std::span<const std::byte> bytes,
           const std::string& path, const std::string& hint) {
  const std::string got = internal::sha256(bytes);
  if (got == source.sha256) return;
  throw_damaged({.file = path,
                 .check = source.packed ? "SHA-256 of the packed file"
                                        : "SHA-256 of the unpacked file",
                 .offset = 0,
                 .expected = source.sha256,
                 .got = got,
                 .hint = hint});
}

// Unpacks a file, whose packed form is checked where the table is of that.
Bytes unpack_checked(Bytes bytes, const SourceFile& source,
                     const std::string& path, const std::string& hint) {
  if (source.packed && is_packed(bytes)) check(source, bytes, path, hint);
  return unpack(std::move(bytes), path, hint);
}

FoundFile open(const SourceFile& source, const fs::path& path,
               const std::string& hint) {
  return {unpack_checked(read_bytes(path), source, path.string(), hint), path,
          hint};
}

// Keeps the file's bytes in the cache.
void keep(std::span<const std::byte> bytes, const fs::path& target,
          FoundFile* found) {
  try {
    io::detail::write_file(target, bytes, io::detail::kCached);
    found->path = target;
  } catch (const fs::filesystem_error& error) {
    log(LogLevel::warning, "datasets: " + target.filename().string() +
                               " is used but not kept: " + error.what());
  }
}

// Checks, keeps and unpacks what came from `address`. What is kept is what the
// table has the SHA-256 of, so that it is checked each time it is read.
FoundFile accept(Bytes bytes, const std::string& address,
                 const SourceFile& source, const fs::path& target) {
  const std::string hint =
      "the address gives another file; put a good one into " +
      target.parent_path().string();
  FoundFile found{{}, address, hint};
  if (source.packed) {
    check(source, bytes, address, hint);
    keep(bytes, target.string() + ".gz", &found);
    found.bytes = unpack(std::move(bytes), address, hint);
  } else {
    found.bytes = unpack(std::move(bytes), address, hint);
    check(source, found.bytes, address, hint);
    keep(found.bytes, target, &found);
  }
  return found;
}

}  // namespace

std::vector<SourceFile> parse_sources(std::string_view table) {
  std::vector<SourceFile> rows;
  for (const std::string& line : split(std::string(table), '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> columns = split(line, '\t');
    if (columns.size() != 5) {
      throw InternalError("datasets: expected five columns, got the line \"" +
                          line + "\"");
    }
    const bool packed = columns[2].starts_with(kPacked);
    rows.push_back({.dataset = columns[0],
                    .file = columns[1],
                    .sha256 = columns[2].substr(packed ? kPacked.size() : 0),
                    .packed = packed,
                    .size = std::strtoll(columns[3].c_str(), nullptr, 10),
                    .addresses = split(columns[4], ' ')});
  }
  return rows;
}

std::vector<SourceFile> source_files(std::string_view dataset) {
  std::vector<SourceFile> rows = parse_sources(internal::kSourcesTable);
  std::erase_if(rows,
                [&](const SourceFile& row) { return row.dataset != dataset; });
  return rows;
}

const SourceFile& row_of(const std::vector<SourceFile>& sources,
                         std::string_view file) {
  const auto found = std::ranges::find(sources, file, &SourceFile::file);
  if (found == sources.end()) {
    throw InternalError("datasets: the table lacks " + std::string(file));
  }
  return *found;
}

Places default_places() {
  const std::string data_dir = internal::environment("SYSTOLIC_DATA_DIR");
  Places places;
  places.cache = internal::cache_folder() / "datasets";
  if (!data_dir.empty()) places.data_dir = data_dir;
  return places;
}

FoundFile find_file(const SourceFile& source, const Places& places) {
  const fs::path folder = places.cache / source.dataset;
  internal::Message message("datasets::" + source.dataset);
  if (const auto path = existing(folder, source)) {
    return open(source, *path, "remove the file; it is then fetched again");
  }
  message.expected("the file ", source.file)
      .got("none in the places below")
      .detail("cache", folder.string());
  if (places.data_dir) {
    for (const fs::path& place :
         {*places.data_dir, *places.data_dir / source.dataset}) {
      if (const auto path = existing(place, source)) {
        return open(source, *path, "replace the file in SYSTOLIC_DATA_DIR");
      }
      message.detail("SYSTOLIC_DATA_DIR", place.string());
    }
  } else {
    message.detail("SYSTOLIC_DATA_DIR", "not set");
  }
  std::exception_ptr damaged;
  for (const std::string& address : source.addresses) {
    log(LogLevel::info, "datasets: fetching " + address);
    const bool last = &address == &source.addresses.back();
    Fetched fetched = fetch(address, last ? Tries::many : Tries::once);
    if (!fetched.error.empty()) {
      message.detail(address, fetched.error);
      continue;
    }
    try {
      return accept(std::move(fetched.bytes), address, source,
                    folder / source.file);
    } catch (const DataError&) {
      damaged = std::current_exception();
    }
  }
  if (damaged) std::rethrow_exception(damaged);
  std::string files;
  for (const SourceFile& row : source_files(source.dataset)) {
    files += (files.empty() ? "" : ", ") + row.file;
  }
  message
      .hint("run scripts/fetch-dataset ", source.dataset, ", or put ",
            files.empty() ? source.file : files, " (plain or .gz) into ",
            folder.string(), " or the folder that SYSTOLIC_DATA_DIR names")
      .raise<NotFoundError>();
}

void check_sha256(const SourceFile& source, std::span<const std::byte> bytes,
                  const std::string& path, const std::string& hint) {
  if (!source.packed) check(source, bytes, path, hint);
}

}  // namespace systolic::datasets::detail
