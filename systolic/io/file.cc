#include "systolic/io/file.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace systolic::io::detail {
namespace {

namespace fs = std::filesystem;

fs::filesystem_error last_error(const char* what, const fs::path& path) {
  return {what, path, std::error_code(errno, std::generic_category())};
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw last_error("cannot open", path);
  const uintmax_t size = fs::file_size(path);
  std::string bytes(size, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!file) throw last_error("cannot read", path);
  return bytes;
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  static std::atomic<int> written = 0;
  fs::create_directories(path.parent_path());
  const fs::path part = path.string() + ".part-" + std::to_string(getpid()) +
                        "-" + std::to_string(written++);
  std::ofstream file(part, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code ignored;
  if (!file) {
    const auto error = last_error("cannot write", part);
    fs::remove(part, ignored);
    throw error;
  }
  std::error_code failed;
  fs::rename(part, path, failed);
  if (failed) {
    fs::remove(part, ignored);
    throw fs::filesystem_error("cannot write", path, failed);
  }
}

}  // namespace systolic::io::detail
