// Tested by: tests/storage/file_system_checks.cc
#include "systolic/io/rename_tree.h"

#include "systolic/io/path.h"

namespace systolic::io::detail {

void rename_tree(FileSystem& files, const std::string& from,
                 const std::string& to) {
  const size_t begin = without_last_slashes(from).size();
  std::vector<std::string> paths;
  files.list(from, {.recursive = true}, [&](const DirectoryEntry& entry) {
    if (!entry.stat.is_directory) paths.push_back(entry.path);
    return true;
  });
  const std::string target(without_last_slashes(to));
  for (const std::string& path : paths) {
    files.copy(path, target + path.substr(begin));
  }
  for (const std::string& path : paths) files.remove(path);
}

}  // namespace systolic::io::detail
