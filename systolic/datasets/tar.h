// Files in a tar archive.
//   std::span<const std::byte> file = tar_file(bytes, "a/b.bin", {...});
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace systolic::datasets::detail {

// The archive's bytes, and what errors say of it.
struct Archive {
  std::span<const std::byte> bytes;
  std::string path;
  std::string hint;
};

// The bytes of the file whose name is `name` or ends in "/" and it; they live
// as long as the archive's. Throws DataError where the archive is damaged or
// has no such file.
std::span<const std::byte> tar_file(const Archive& archive,
                                    std::string_view name);

}  // namespace systolic::datasets::detail
