// A file on a web server, read by range requests.
//   HttpFile file = open_http({.path = path, .url = url}, options);
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "systolic/io/file_system.h"
#include "systolic/io/http_client.h"

namespace systolic::io::detail {

// Where a file is and how its server is spoken to.
struct HttpPlace {
  std::string path;  // for errors
  std::string url;
  // Headers of each request, such as who asks; empty: none.
  std::function<HttpHeaders()> headers = {};
  // Throws what an answer means that is no success.
  std::function<void(const std::string& who, const HttpAnswer&)> refuse = {};
  // The header that tells the file's version.
  std::string version_header = "etag";
  // The part of an address that asks for one version, such as "generation";
  // empty: the header If-Match does, and where there is no version the time
  // of writing is it.
  std::string version_query = {};
};

// Opens the file: one request, which brings the first block too. Throws
// NotFoundError, PermissionDeniedError or StorageError.
std::unique_ptr<RandomAccessFile> open_http(const HttpPlace& place,
                                            const ReadOptions& options);

// What is known of the file, empty for 404.
std::optional<FileStat> find_http(const HttpPlace& place);

}  // namespace systolic::io::detail
