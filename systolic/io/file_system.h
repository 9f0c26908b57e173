// Files by their paths, local or remote: "data/a.tfrec", "gs://bucket/a.tfrec".
//   for (const std::string& path : io::glob("gs://bucket/train*.tfrec")) {
//     auto file = io::open_file(path);
//     file->read_at(0, buffer);
//   }
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/io/error.h"

namespace systolic::io {

// What is known of a file or folder.
struct FileStat {
  // Bytes; 0 for a folder, -1 where a web server does not say.
  int64_t size = 0;
  bool is_directory = false;
  std::optional<std::chrono::system_clock::time_point> modified = {};
  // Changes when the bytes do: an ETag, a generation, a time of writing.
  // Empty where the place of storage has none.
  std::string version = {};
};

// How a remote file is read; the system minds local ones. What is unset is as
// StorageOptions have it, which is how data sets read.
struct ReadOptions {
  // Bytes fetched ahead of a reader that goes forward; 0 fetches nothing ahead.
  std::optional<int64_t> read_ahead = {};
  // Bytes of one request.
  std::optional<int64_t> block_size = {};
  // How many requests of one file are under way at once.
  std::optional<int64_t> parallel_requests = {};
  // Requested when nobody wants the bytes any more: reads that wait for the
  // network then throw StorageError.
  std::stop_token stop = {};
};

// An open file; any number of threads may read from it at once.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;

  // Fills `out` with the bytes from `offset` on and returns how many they are:
  // fewer than asked for only at the end of the file. Throws StorageError.
  virtual size_t read_at(int64_t offset, std::span<std::byte> out) = 0;
  // The bytes of the file when it was opened.
  virtual int64_t size() const = 0;
  // The path it was opened by.
  virtual const std::string& path() const = 0;
};

// A file being written: others see all of it after close(), or nothing. An
// object that is destroyed before leaves nothing behind.
class WritableFile {
 public:
  virtual ~WritableFile() = default;

  // Adds bytes at the end. Throws StorageError.
  virtual void append(std::span<const std::byte> bytes) = 0;
  // Puts the file in its place, over one that was there. Throws StorageError.
  virtual void close() = 0;
  // The path that it will have.
  virtual const std::string& path() const = 0;
};

// One entry of a folder; its path has the scheme, and no slash at its end.
struct DirectoryEntry {
  std::string path;
  FileStat stat;
};

// Is given entry after entry; false ends the listing.
using EntryVisitor = std::function<bool(const DirectoryEntry&)>;

// What list() gives.
struct ListOptions {
  // Whether what is in folders below comes too.
  bool recursive = false;
  // Only entries whose path, relative to the folder, begins so: services list
  // no others.
  std::string prefix = {};
};

// One place of storage. Safe to use from any thread. Its functions take whole
// paths, and throw NotFoundError, PermissionDeniedError or StorageError.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Opens a file for reading.
  virtual std::unique_ptr<RandomAccessFile> open(
      const std::string& path, const ReadOptions& options) = 0;
  // Begins a file; makes its folder where folders are made.
  virtual std::unique_ptr<WritableFile> create(const std::string& path) = 0;
  // What is known of a path; empty when nothing is there.
  virtual std::optional<FileStat> find(const std::string& path) = 0;
  // Whether it can say what is in a folder; list() throws where it can not.
  virtual bool can_list() const { return true; }
  // Gives a folder's entries one by one, in no set order.
  virtual void list(const std::string& folder, const ListOptions& options,
                    const EntryVisitor& visit) = 0;
  // Makes a folder and those above it; does nothing where it is there.
  virtual void make_dirs(const std::string& folder) = 0;
  // Removes a file or an empty folder.
  virtual void remove(const std::string& path) = 0;
  // Removes a folder and all that is in it; of a link only the link.
  virtual void remove_tree(const std::string& folder);
  // Moves a file or folder to another path, over a file that is there.
  virtual void rename(const std::string& from, const std::string& to) = 0;
  // Copies a file, over one that is there. Reads and writes it unless the
  // place of storage can do it by itself.
  virtual void copy(const std::string& from, const std::string& to);
};

// The file system of a path's scheme ("gs" of "gs://..."); the local one where
// it has none or "file". Throws ValueError for a scheme nobody knows.
FileSystem& file_system_for(std::string_view path);

// Opens a file for reading. Throws NotFoundError, PermissionDeniedError or
// StorageError, as all functions below do.
std::unique_ptr<RandomAccessFile> open_file(const std::string& path,
                                            const ReadOptions& options = {});
// Begins a file that others see when it is closed.
std::unique_ptr<WritableFile> create_file(const std::string& path);
// The bytes of a file.
std::string read_file(const std::string& path);
// Writes a file, whole or not at all.
void write_file(const std::string& path, std::string_view bytes);

// Whether there is a file or folder.
bool exists(const std::string& path);
// Whether there is a folder.
bool is_dir(const std::string& path);
// What is known of a file or folder.
FileStat stat(const std::string& path);
// The names in a folder, sorted, without the folder's path.
std::vector<std::string> list_directory(const std::string& folder);
// Makes a folder and those above it.
void make_dirs(const std::string& folder);
// Removes a file or an empty folder.
void remove(const std::string& path);
// Removes a folder and all that is in it; of a link only the link, of a bucket
// only what is in it.
void remove_tree(const std::string& folder);
// Moves a file or folder, over a file that is there; from one place of storage
// to another it copies a file and then removes it.
void rename(const std::string& from, const std::string& to);
// Copies a file, also from one place of storage to another.
void copy(const std::string& from, const std::string& to);

// The paths that match `pattern`, sorted: `*` and `?` stop at a slash, `**`
// does not, `[a-c]`, `[!a]` and `{one,two}` as in a shell, `\` takes the next
// character as it is; a slash at the end gives folders only. Names that begin
// with a dot match only a dot. A pattern without any of these gives the path
// itself if it is there. Lists only the folders that can hold a match; `**`
// gives files only.
std::vector<std::string> glob(const std::string& pattern);
// The paths that match any of `patterns`, sorted, each once.
std::vector<std::string> glob(const std::vector<std::string>& patterns);

// `folder` and `name` with one slash between them.
std::string join_path(std::string_view folder, std::string_view name);
// The last part of a path: "a.tfrec" of "gs://bucket/a.tfrec".
std::string base_name(std::string_view path);
// The path without its last part: "gs://bucket" of "gs://bucket/a.tfrec".
std::string directory_name(std::string_view path);

}  // namespace systolic::io
