// What the fuzz targets of file readers share.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "systolic/base/error.h"

namespace systolic::fuzz {

inline std::string_view text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the program where something that has to hold does not.
inline void require(bool holds) {
  if (!holds) std::abort();
}

// Calls `f`, which may say that its bytes are damaged.
template <class F>
void tolerate(const F& f) {
  try {
    f();
  } catch (const DataError&) {
  }
}

// Bytes that can be opened by a path.
class FileOfBytes {
 public:
  explicit FileOfBytes(std::string_view bytes)
      : file_(memfd_create("fuzz", MFD_CLOEXEC)),
        path_("/proc/self/fd/" + std::to_string(file_)) {
    require(file_ >= 0 && write(file_, bytes.data(), bytes.size()) ==
                              static_cast<ssize_t>(bytes.size()));
  }
  ~FileOfBytes() { close(file_); }
  FileOfBytes(const FileOfBytes&) = delete;
  FileOfBytes& operator=(const FileOfBytes&) = delete;

  const std::string& path() const { return path_; }

 private:
  int file_;
  std::string path_;
};

}  // namespace systolic::fuzz
