// What every place of storage has to do, checked on a real emulator.
#pragma once

#include <functional>
#include <string>

namespace systolic::testing {

// Writes, reads, lists, moves and removes files below `folder`, which is empty
// and of any scheme; `empty_files` are left out where the emulator fails.
void check_file_system(const std::string& folder, bool empty_files);

// What is thrown (io::StorageError) where the file at `path`, 3000 bytes of
// 'a', is changed while it is read.
std::string text_of_changed_read(const std::string& path,
                                 const std::function<void()>& change);

}  // namespace systolic::testing
