// What every place of storage has to do, checked on a real emulator.
#pragma once

#include <string>

namespace systolic::testing {

// Writes, reads, lists, moves and removes files below `folder`, which is empty
// and of any scheme; `empty_files` are left out where the emulator fails.
void check_file_system(const std::string& folder, bool empty_files);

}  // namespace systolic::testing
