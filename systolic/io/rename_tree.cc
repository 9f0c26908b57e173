// Tested by: tests/storage/file_system_checks.cc
#include "systolic/io/rename_tree.h"

#include "systolic/base/message.h"
#include "systolic/io/path.h"

namespace systolic::io::detail {

void rename_tree(FileSystem& files, const std::string& from,
                 const std::string& to) {
  std::vector<std::string> paths;
  files.list(from, {.recursive = true}, [&](const DirectoryEntry& entry) {
    if (!entry.stat.is_directory) paths.push_back(entry.path);
    return true;
  });
  rename_tree(files, paths, from, to);
}

void rename_tree(FileSystem& files, const std::vector<std::string>& paths,
                 const std::string& from, const std::string& to) {
  const std::string source(without_last_slashes(from));
  const std::string target(without_last_slashes(to));
  // What is copied would be written over, or removed, before it is read.
  if (target.starts_with(source + "/") || source.starts_with(target + "/")) {
    internal::Message("rename")
        .expected("two folders of which none is inside of the other")
        .got('"', from, "\" and \"", to, '"')
        .raise<StorageError>();
  }
  for (const std::string& path : paths) {
    files.copy(path, target + path.substr(source.size()));
  }
  for (const std::string& path : paths) files.remove(path);
}

}  // namespace systolic::io::detail
