#include "systolic/io/http_file_system.h"

#include "systolic/base/message.h"
#include "systolic/io/http_source.h"

namespace systolic::io::detail {
namespace {

[[noreturn]] void raise_read_only(const char* who, const std::string& path) {
  internal::Message(who)
      .expected("a local path or a place of storage such as gs://")
      .got('"', path, "\", which can only be read")
      .raise<StorageError>();
}

// The address to ask for: what no address may hold, such as a space, as %xx.
std::string address_of(const std::string& path) {
  std::string address;
  for (const char c : path) {
    const bool fits = c > ' ' && c < '\x7f';
    address += fits ? std::string(1, c) : percent_encoded(std::string(1, c));
  }
  return address;
}

}  // namespace

std::unique_ptr<RandomAccessFile> HttpFileSystem::open(
    const std::string& path, const ReadOptions& options) {
  return open_http({.path = path, .url = address_of(path)}, options);
}

std::optional<FileStat> HttpFileSystem::find(const std::string& path) {
  return find_http({.path = path, .url = address_of(path)});
}

std::unique_ptr<WritableFile> HttpFileSystem::create(const std::string& path) {
  raise_read_only("create_file", path);
}

void HttpFileSystem::list(const std::string& folder, const ListOptions&,
                          const EntryVisitor&) {
  internal::Message("list_directory")
      .rule("nobody lists the files of a web server")
      .detail("path", folder)
      .raise<StorageError>();
}

void HttpFileSystem::make_dirs(const std::string& folder) {
  raise_read_only("make_dirs", folder);
}

void HttpFileSystem::remove(const std::string& path) {
  raise_read_only("remove", path);
}

void HttpFileSystem::rename(const std::string& from, const std::string&) {
  raise_read_only("rename", from);
}

void HttpFileSystem::copy(const std::string&, const std::string& to) {
  raise_read_only("copy", to);
}

}  // namespace systolic::io::detail
