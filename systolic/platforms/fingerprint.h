// The identity of a plugin's file: what was checked or compiled with one
// plugin is not taken for another's.
//
//   std::string identity = fingerprint(platform.found().path);
#pragma once

#include <string>

namespace systolic::internal::platforms {

// The SHA-256 of a file's bytes in 64 hexadecimal digits. It is remembered by
// the file's path, size, times and inode in fingerprints/ of cache_folder(),
// so that a plugin of a hundred megabytes is read once. A memory that cannot
// be read or written is done without. Throws NotFoundError if the file itself
// cannot be read.
std::string fingerprint(const std::string& path);

}  // namespace systolic::internal::platforms
