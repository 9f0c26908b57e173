// Moves folders where a folder is but a part of its files' names.
#pragma once

#include <string>
#include <vector>

#include "systolic/io/file_system.h"

namespace systolic::io::detail {

// Copies each file below `from` to its place below `to`, and removes them when
// all are copied. Throws StorageError where one is inside of the other.
void rename_tree(FileSystem& files, const std::string& from,
                 const std::string& to);
// The same of the files at `paths`, all of them below `from`.
void rename_tree(FileSystem& files, const std::vector<std::string>& paths,
                 const std::string& from, const std::string& to);

}  // namespace systolic::io::detail
