#include "systolic/io/file_system.h"

#include <algorithm>
#include <array>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/io/arrow_file_system.h"
#include "systolic/io/gcs.h"
#include "systolic/io/http_file_system.h"
#include "systolic/io/local.h"
#include "systolic/io/path.h"

namespace systolic::io {
namespace {

constexpr size_t kCopyBytes = size_t{4} << 20;

FileSystem& local_file_system() {
  static detail::LocalFileSystem instance;
  return instance;
}

FileSystem& http_file_system() {
  static detail::HttpFileSystem instance;
  return instance;
}

FileSystem& gcs_file_system() {
  static detail::GcsFileSystem instance;
  return instance;
}

FileSystem& arrow_file_system() {
  static detail::ArrowFileSystem instance;
  return instance;
}

// The file systems by the schemes of their paths.
struct Row {
  std::string_view scheme;
  FileSystem& (*get)();
};
constexpr std::array kFileSystems = {
    Row{"", local_file_system},     Row{"file", local_file_system},
    Row{"gs", gcs_file_system},     Row{"s3", arrow_file_system},
    Row{"abfs", arrow_file_system}, Row{"abfss", arrow_file_system},
    Row{"hdfs", arrow_file_system}, Row{"http", http_file_system},
    Row{"https", http_file_system},
};

[[noreturn]] void raise_not_there(const char* who, const std::string& path) {
  internal::Message(who)
      .expected("a file or folder that exists")
      .got('"', path, '"')
      .raise<NotFoundError>();
}

// Reads and writes.
void copy_bytes(FileSystem& from_system, const std::string& from,
                FileSystem& to_system, const std::string& to) {
  const auto source = from_system.open(from, {});
  const auto target = to_system.create(to);
  std::vector<std::byte> buffer(kCopyBytes);
  int64_t offset = 0;
  while (true) {
    const size_t got = source->read_at(offset, buffer);
    target->append(std::span(buffer).first(got));
    offset += static_cast<int64_t>(got);
    if (got < buffer.size()) break;
  }
  target->close();
}

}  // namespace

void FileSystem::remove_tree(const std::string& folder) {
  std::vector<std::string> folders;
  std::vector<std::string> others;
  list(folder, {.recursive = true}, [&](const DirectoryEntry& entry) {
    (entry.stat.is_directory ? folders : others).push_back(entry.path);
    return true;
  });
  for (const std::string& path : others) remove(path);
  // Those inside of others come later in the order of their paths.
  std::sort(folders.rbegin(), folders.rend());
  for (const std::string& path : folders) remove(path);
  // A bucket stays: gs:// has no way to remove it, and s3:// refuses to.
  const bool root =
      !detail::scheme_of(folder).empty() &&
      detail::without_scheme(detail::without_last_slashes(folder)).find('/') ==
          std::string_view::npos;
  if (!root && find(folder)) remove(folder);
}

void FileSystem::copy(const std::string& from, const std::string& to) {
  copy_bytes(*this, from, *this, to);
}

FileSystem& file_system_for(std::string_view path) {
  const std::string scheme = detail::scheme_of(path);
  std::string known;
  for (const Row& row : kFileSystems) {
    if (row.scheme == scheme) return row.get();
    if (!row.scheme.empty()) {
      known += known.empty() ? "" : ", ";
      known += std::string(row.scheme) + "://";
    }
  }
  internal::Message("io")
      .expected("a local path or one of the schemes ", known)
      .got('"', path, '"')
      .raise<ValueError>();
}

std::unique_ptr<RandomAccessFile> open_file(const std::string& path,
                                            const ReadOptions& options) {
  return file_system_for(path).open(path, options);
}

std::unique_ptr<WritableFile> create_file(const std::string& path) {
  return file_system_for(path).create(path);
}

std::string read_file(const std::string& path) {
  const auto file = open_file(path);
  // One byte more than there are shows the end without another read.
  std::string bytes(static_cast<size_t>(file->size()) + 1, '\0');
  size_t done = 0;
  while (true) {
    done +=
        file->read_at(static_cast<int64_t>(done),
                      std::as_writable_bytes(std::span(bytes)).subspan(done));
    if (done < bytes.size()) break;
    bytes.resize(bytes.size() + kCopyBytes);  // it has grown
  }
  bytes.resize(done);
  return bytes;
}

void write_file(const std::string& path, std::string_view bytes) {
  const auto file = create_file(path);
  file->append(std::as_bytes(std::span(bytes)));
  file->close();
}

bool exists(const std::string& path) {
  return file_system_for(path).find(path).has_value();
}

bool is_dir(const std::string& path) {
  const auto found = file_system_for(path).find(path);
  return found && found->is_directory;
}

FileStat stat(const std::string& path) {
  auto found = file_system_for(path).find(path);
  if (!found) raise_not_there("stat", path);
  return *std::move(found);
}

std::vector<std::string> list_directory(const std::string& folder) {
  std::vector<std::string> names;
  file_system_for(folder).list(folder, {}, [&](const DirectoryEntry& entry) {
    names.push_back(base_name(entry.path));
    return true;
  });
  std::sort(names.begin(), names.end());
  return names;
}

void make_dirs(const std::string& folder) {
  file_system_for(folder).make_dirs(folder);
}

void remove(const std::string& path) { file_system_for(path).remove(path); }

void remove_tree(const std::string& folder) {
  file_system_for(folder).remove_tree(folder);
}

void rename(const std::string& from, const std::string& to) {
  FileSystem& source = file_system_for(from);
  FileSystem& target = file_system_for(to);
  if (&source == &target) return source.rename(from, to);
  copy_bytes(source, from, target, to);
  source.remove(from);
}

void copy(const std::string& from, const std::string& to) {
  FileSystem& source = file_system_for(from);
  FileSystem& target = file_system_for(to);
  if (&source == &target) return source.copy(from, to);
  copy_bytes(source, from, target, to);
}

}  // namespace systolic::io
