// Room for many files that are open at once.
#pragma once

#include <cstdint>

namespace systolic::data::detail {

// Raises the limit of this process where `count` more files need it. Throws
// ValueError where the system does not allow so many.
void require_open_files(const char* who, int64_t count);

}  // namespace systolic::data::detail
