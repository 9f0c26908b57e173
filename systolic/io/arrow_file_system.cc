// Tested by: tests/storage/s3_test.cc
#include "systolic/io/arrow_file_system.h"

#include "systolic/io/arrow_module.h"
#include "systolic/io/path.h"
#include "systolic/io/read_ahead.h"
#include "systolic/io/rename_tree.h"

namespace systolic::io::detail {

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
  ArrowModule& module = arrow_module("rename", from);
  const std::optional<FileStat> stat = module.find(from);
  if (stat && same_path(from, to)) return;
  // HDFS alone has folders of its own.
  if (stat && stat->is_directory && scheme_of(from) != "hdfs") {
    return rename_tree(*this, from, to);
  }
  module.rename(from, to);
}

void ArrowFileSystem::copy(const std::string& from, const std::string& to) {
  arrow_module("copy", from).copy(from, to);
}

}  // namespace systolic::io::detail
