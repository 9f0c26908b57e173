// Tested by: systolic/io/local_test.cc
#include "systolic/io/local_write.h"

#include <unistd.h>

#include <cerrno>

namespace systolic::io::detail {

bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return true;
}

bool to_disk(int file) {
  return fdatasync(file) == 0 || errno == EINVAL || errno == ENOSYS ||
         errno == EOPNOTSUPP;
}

}  // namespace systolic::io::detail
