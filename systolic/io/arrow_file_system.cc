// Tested by: tests/storage/s3_test.cc
#include "systolic/io/arrow_file_system.h"

#include <algorithm>

#include "systolic/io/arrow_module.h"
#include "systolic/io/path.h"
#include "systolic/io/read_ahead.h"
#include "systolic/io/rename_tree.h"

namespace systolic::io::detail {
namespace {

// A folder, unless it is the root, and those below it, sorted.
std::vector<std::string> folders_of(FileSystem& files,
                                    const std::string& folder) {
  std::vector<std::string> folders;
  if (without_scheme(folder).find('/') != std::string_view::npos) {
    folders.push_back(folder);
  }
  files.list(folder, {.recursive = true}, [&](const DirectoryEntry& entry) {
    if (entry.stat.is_directory) folders.push_back(entry.path);
    return true;
  });
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace

std::unique_ptr<RandomAccessFile> ArrowFileSystem::open(
    const std::string& path, const ReadOptions& options) {
  return read_ahead(arrow_module("open_file", path).open(path), options);
}

std::unique_ptr<WritableFile> ArrowFileSystem::create(const std::string& path) {
  return arrow_module("create_file", path).create(path);
}

std::optional<FileStat> ArrowFileSystem::find(const std::string& path) {
  return arrow_module("stat", path).find(path);
}

void ArrowFileSystem::list(const std::string& folder,
                           const ListOptions& options,
                           const EntryVisitor& visit) {
  arrow_module("list_directory", folder).list(folder, options, visit);
}

void ArrowFileSystem::make_dirs(const std::string& folder) {
  arrow_module("make_dirs", folder).make_dirs(folder);
}

void ArrowFileSystem::remove(const std::string& path) {
  arrow_module("remove", path).remove(path);
}

void ArrowFileSystem::rename(const std::string& from, const std::string& to) {
  const auto move = arrow_module("rename", from).rename(from, to);
  if (!move) return;
  // Of those that are no part of their files' names.
  std::vector<std::string> folders;
  const std::string source(without_last_slashes(move->from));
  const std::string target(without_last_slashes(move->to));
  if (scheme_of(from) == "hdfs") folders = folders_of(*this, source);
  for (const std::string& folder : folders) {
    make_dirs(target + folder.substr(source.size()));
  }
  rename_tree(*this, source, target);
  // What is inside of another comes behind it.
  std::reverse(folders.begin(), folders.end());
  for (const std::string& folder : folders) remove(folder);
}

void ArrowFileSystem::copy(const std::string& from, const std::string& to) {
  arrow_module("copy", from).copy(from, to);
}

}  // namespace systolic::io::detail
