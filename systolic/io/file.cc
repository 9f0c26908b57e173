#include "systolic/io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
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

constexpr size_t kPart = 4096;

// An open file.
class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  ~Descriptor() {
    if (file_ >= 0) close(file_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return file_; }

 private:
  int file_;
};

}  // namespace

std::string read_file(const fs::path& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat state {};
  // The size is that of the file that was opened: another may be moved to its
  // place meanwhile.
  if (file.get() < 0 || fstat(file.get(), &state) != 0) {
    throw last_error("cannot open", path);
  }
  std::string bytes(static_cast<size_t>(state.st_size), '\0');
  size_t done = 0;
  while (true) {
    if (done == bytes.size()) bytes.resize(done + kPart);  // it may have grown
    const ssize_t got =
        read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw last_error("cannot read", path);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  static std::atomic<int> written = 0;
  // Of a name alone there is none, and the library does not take "".
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
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
