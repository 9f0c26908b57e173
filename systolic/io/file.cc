#include "systolic/io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "systolic/io/local_write.h"

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
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return file_; }
  // False, with errno, where what was written is lost.
  bool close() { return file_ < 0 || ::close(std::exchange(file_, -1)) == 0; }

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

void write_file(const fs::path& path, std::span<const std::byte> bytes,
                const WriteFileOptions& options) {
  static std::atomic<int> written = 0;
  // Of a name alone there is none, and the library does not take "".
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  const fs::path part = path.string() + ".part-" + std::to_string(getpid()) +
                        "-" + std::to_string(written++);
  Descriptor file(
      open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) throw last_error("cannot write", part);
  const bool good =
      write_all(file.get(), bytes) && (!options.to_disk || to_disk(file.get()));
  int code = good ? 0 : errno;
  if (!file.close() && code == 0) code = errno;
  if (code == 0 && std::rename(part.c_str(), path.c_str()) != 0) code = errno;
  if (code == 0) return;
  unlink(part.c_str());
  errno = code;
  throw last_error("cannot write", path);
}

}  // namespace systolic::io::detail
