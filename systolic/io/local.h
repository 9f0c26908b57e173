// The files of this machine.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "systolic/io/file_system.h"

namespace systolic::io::detail {

// The local files, by plain paths or file:// addresses.
class LocalFileSystem final : public FileSystem {
 public:
  std::unique_ptr<RandomAccessFile> open(const std::string& path,
                                         const ReadOptions& options) override;
  std::unique_ptr<WritableFile> create(const std::string& path) override;
  std::optional<FileStat> find(const std::string& path) override;
  void list(const std::string& folder, const ListOptions& options,
            const EntryVisitor& visit) override;
  void make_dirs(const std::string& folder) override;
  void remove(const std::string& path) override;
  void remove_tree(const std::string& folder) override;
  void rename(const std::string& from, const std::string& to) override;
};

}  // namespace systolic::io::detail
