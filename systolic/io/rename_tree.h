// Moves folders where a folder is but a part of its files' names.
#pragma once

#include <string>

#include "systolic/io/file_system.h"

namespace systolic::io::detail {

// Copies each file below `from` to its place below `to`, and removes them when
// all are copied.
void rename_tree(FileSystem& files, const std::string& from,
                 const std::string& to);

}  // namespace systolic::io::detail
