// Google Cloud Storage by its JSON API: gs://bucket/object.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "systolic/io/file_system.h"
#include "systolic/io/http_client.h"

namespace systolic::io::detail {

// The two parts of "gs://bucket/folder/file". Throws ValueError without a
// bucket, and for the names "." and "..", which are folders in an address.
struct GcsPath {
  explicit GcsPath(const std::string& path);

  std::string bucket;
  std::string object;  // empty for the bucket itself
};

// Throws ValueError unless an object of this name would be found again: a
// name that ends in a slash is a folder's.
void require_file_name(const char* who, const GcsPath& place,
                       const std::string& path);

// The address that STORAGE_EMULATOR_HOST names, or the real one.
std::string gcs_endpoint();
// Whether STORAGE_EMULATOR_HOST is set.
bool gcs_is_emulated();

// Sends a request as who we are. Throws what a refusal means unless its status
// is `allowed`; `check` is that of SendOptions.
HttpAnswer gcs_send(
    HttpRequest request, const std::string& who, const std::string& path,
    int64_t allowed = 0,
    const std::function<std::string(const HttpAnswer&)>& check = {});

// Throws what a refusal means: PermissionDeniedError names who asks, what is
// missing and the bucket.
[[noreturn]] void gcs_refuse(const std::string& who, const std::string& path,
                             const HttpAnswer& answer);

// Buckets of objects; their folders are names with slashes.
class GcsFileSystem final : public FileSystem {
 public:
  std::unique_ptr<RandomAccessFile> open(const std::string& path,
                                         const ReadOptions& options) override;
  std::unique_ptr<WritableFile> create(const std::string& path) override;
  std::optional<FileStat> find(const std::string& path) override;
  void list(const std::string& folder, const ListOptions& options,
            const EntryVisitor& visit) override;
  // Does nothing: a folder is there when a file is in it.
  void make_dirs(const std::string& folder) override;
  void remove(const std::string& path) override;
  // Copies, then removes: a folder is moved file by file.
  void remove_tree(const std::string& folder) override;
  void rename(const std::string& from, const std::string& to) override;
  void copy(const std::string& from, const std::string& to) override;
};

}  // namespace systolic::io::detail
