// What all writers of local files do.
//   if (!write_all(file, bytes) || !to_disk(file)) fail(errno);
#pragma once

#include <cstddef>
#include <span>

namespace systolic::io::detail {

// Writes all of the bytes; false, with errno, where the disk fails.
bool write_all(int file, std::span<const std::byte> bytes);

// Waits until the disk has the bytes: else a machine that loses its power may
// come back with the file's name and without its bytes. False, with errno, for
// a disk that fails; file systems that know no such wait are believed.
bool to_disk(int file);

}  // namespace systolic::io::detail
