#include "systolic/io/local.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/io/local_write.h"
#include "systolic/io/path.h"

namespace systolic::io::detail {
namespace {

namespace fs = std::filesystem;

// The path for the system's calls.
std::string local_path(const std::string& path) {
  return std::string(without_scheme(path));
}

// Throws the error of a system call on `path`.
[[noreturn]] void raise_errno(const char* who, const std::string& what,
                              const std::string& path, int code) {
  internal::Message message(who);
  message.expected(what).got('"', path, '"');
  message.detail("cause", std::generic_category().message(code));
  if (code == ENOENT || code == ENOTDIR) {
    message.hint(pattern_hint(path)).raise<NotFoundError>();
  }
  if (code == EACCES || code == EPERM) message.raise<PermissionDeniedError>();
  message.raise<StorageError>();
}

FileStat to_stat(const struct stat& state) {
  FileStat result;
  result.is_directory = S_ISDIR(state.st_mode);
  if (!result.is_directory) result.size = state.st_size;
  const auto since = std::chrono::seconds(state.st_mtim.tv_sec) +
                     std::chrono::nanoseconds(state.st_mtim.tv_nsec);
  result.modified = std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(since));
  result.version = std::to_string(since.count()) + "-" +
                   std::to_string(state.st_ino) + "-" +
                   std::to_string(state.st_size);
  return result;
}

class LocalFile final : public RandomAccessFile {
 public:
  LocalFile(std::string path, int file, int64_t size)
      : path_(std::move(path)), file_(file), size_(size) {}
  ~LocalFile() override { ::close(file_); }
  LocalFile(const LocalFile&) = delete;
  LocalFile& operator=(const LocalFile&) = delete;

  size_t read_at(int64_t offset, std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = pread(file_, out.data() + done, out.size() - done,
                                offset + static_cast<int64_t>(done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        raise_errno("read_at", "a file that can be read", path_, errno);
      }
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }
  int64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  const std::string path_;
  const int file_;
  const int64_t size_;
};

// A hidden name beside `path`, so that no glob finds it; another each time,
// since a program that was killed may have left one.
std::string part_path(const std::string& path) {
  static std::atomic<int> written = 0;
  return join_path(local_path(directory_name(path)),
                   "." + base_name(path) + ".part-" +
                       std::to_string(std::random_device()()) + "-" +
                       std::to_string(written++));
}

// Where the link leads that `path` is, though nothing may be there; the path
// itself where it is none.
std::string behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the system has it
  fs::path at = path;
  std::error_code failed;
  for (int i = 0; i < kMostLinks; ++i) {
    const fs::path next = fs::read_symlink(at, failed);
    if (failed) return at.string();
    at = at.parent_path() / next;
  }
  return path;
}

// Writes beside the file's place and then moves it there. A link stays, and
// what it leads to is written.
class LocalWriter final : public WritableFile {
 public:
  explicit LocalWriter(const std::string& path)
      : path_(path), target_(local_path(path)) {
    struct stat state {};
    bool there = ::stat(target_.c_str(), &state) == 0;
    if (there && !S_ISREG(state.st_mode) && !S_ISDIR(state.st_mode)) {
      // A device or pipe is written to, not replaced. By this name: that of a
      // pipe behind /dev/stdout is none.
      file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
      if (file_ < 0) fail(errno);
      return;
    }
    target_ = behind_links(target_);
    there = ::stat(target_.c_str(), &state) == 0;
    if (!there && errno == ELOOP) fail(errno);
    do {
      part_ = part_path(target_);
      // What is private is so from the beginning.
      const mode_t mode = there ? state.st_mode & 0600 : 0666;
      file_ =
          ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    } while (file_ < 0 && errno == EEXIST);
    if (file_ < 0) fail(errno);
    // Who may read the file stays as it was, where the disk knows that.
    constexpr mode_t kMode = 07777;
    if (there && S_ISREG(state.st_mode)) {
      (void)fchmod(file_, state.st_mode & kMode);
    }
  }
  ~LocalWriter() override {
    if (file_ < 0) return;
    ::close(file_);
    if (!part_.empty()) unlink(part_.c_str());
  }
  LocalWriter(const LocalWriter&) = delete;
  LocalWriter& operator=(const LocalWriter&) = delete;

  void append(std::span<const std::byte> bytes) override {
    require_open("append");
    if (!write_all(file_, bytes)) fail(errno);
  }

  void close() override {
    require_open("close");
    int code = part_.empty() || to_disk(file_) ? 0 : errno;
    if (::close(std::exchange(file_, -1)) != 0 && code == 0) code = errno;
    if (code == 0 && !part_.empty() &&
        std::rename(part_.c_str(), target_.c_str()) != 0) {
      code = errno;
    }
    if (code == 0) return;
    if (!part_.empty()) unlink(part_.c_str());
    fail(code);
  }
  const std::string& path() const override { return path_; }

 private:
  [[noreturn]] void fail(int code) const {
    raise_errno("create_file", "a file that can be written", path_, code);
  }
  void require_open(const char* who) const {
    if (file_ >= 0) return;
    internal::Message(who)
        .expected("a file that is not closed yet")
        .got('"', path_, '"')
        .raise<ValueError>();
  }

  const std::string path_;
  std::string target_;  // for the system's calls, behind links
  std::string part_;    // empty: it is written in its place
  int file_ = -1;
};

bool begins_with(std::string_view text, std::string_view begin) {
  return text.substr(0, begin.size()) == begin;
}

// Whether a folder at `relative` can hold what begins with `prefix`.
bool may_hold(const std::string& relative, const std::string& prefix) {
  return begins_with(relative + "/", prefix) ||
         begins_with(prefix, relative + "/");
}

// Whether a folder is gone or closed to us: those beside it are listed still.
bool is_lost(int code) {
  return code == ENOENT || code == ENOTDIR || code == EACCES;
}

// Moves to another disk: copies to a name beside `to` first.
void move_by_copy(const std::string& from, const std::string& to) {
  const std::string part = part_path(to);
  std::error_code failed;
  fs::copy(local_path(from), part,
           fs::copy_options::recursive | fs::copy_options::copy_symlinks,
           failed);
  if (!failed) fs::rename(part, local_path(to), failed);
  if (failed) {
    std::error_code ignored;
    fs::remove_all(part, ignored);
  } else {
    fs::remove_all(local_path(from), failed);
  }
  if (failed) {
    raise_errno("rename", "a file that can be moved to \"" + to + "\"", from,
                failed.value());
  }
}

// Gives what is in `folder`, whose path relative to the listed one is
// `relative`; false when the visitor has enough.
bool list_folder(const std::string& folder, const std::string& relative,
                 const ListOptions& options, const EntryVisitor& visit) {
  std::error_code failed;
  const std::string local = local_path(folder);
  fs::directory_iterator at(local.empty() ? "." : local, failed);
  for (; !failed && at != fs::directory_iterator(); at.increment(failed)) {
    const std::string name = at->path().filename().string();
    const std::string below = relative.empty() ? name : relative + "/" + name;
    const bool wanted = begins_with(below, options.prefix);
    if (!wanted && !(options.recursive && may_hold(below, options.prefix))) {
      continue;
    }
    DirectoryEntry entry{folder.empty() ? name : join_path(folder, name), {}};
    struct stat state {};
    // It may be gone by now, or be a link to nowhere.
    if (::stat(at->path().c_str(), &state) != 0) continue;
    entry.stat = to_stat(state);
    if (wanted && !visit(entry)) return false;
    // A link to a folder is an entry, but is not followed: it may be a loop.
    std::error_code gone;
    if (options.recursive && entry.stat.is_directory && !at->is_symlink(gone) &&
        !list_folder(entry.path, below, options, visit)) {
      return false;
    }
  }
  if (failed && !(relative.size() > 0 && is_lost(failed.value()))) {
    raise_errno("list_directory", "a folder", folder, failed.value());
  }
  return true;
}

}  // namespace

std::unique_ptr<RandomAccessFile> LocalFileSystem::open(
    const std::string& path, const ReadOptions& /*options*/) {
  const int file = ::open(local_path(path).c_str(), O_RDONLY | O_CLOEXEC);
  struct stat state {};
  if (file < 0 || fstat(file, &state) != 0) {
    const int code = errno;
    if (file >= 0) ::close(file);
    raise_errno("open_file", "a file that can be read", path, code);
  }
  auto opened = std::make_unique<LocalFile>(path, file, state.st_size);
  if (S_ISDIR(state.st_mode)) {
    raise_errno("open_file", "a file", path, EISDIR);
  }
  posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
  return opened;
}

std::unique_ptr<WritableFile> LocalFileSystem::create(const std::string& path) {
  const std::string folder = directory_name(path);
  if (!local_path(folder).empty()) make_dirs(folder);
  return std::make_unique<LocalWriter>(path);
}

std::optional<FileStat> LocalFileSystem::find(const std::string& path) {
  struct stat state {};
  if (::stat(local_path(path).c_str(), &state) == 0) return to_stat(state);
  if (errno == ENOENT || errno == ENOTDIR) return {};
  raise_errno("stat", "a path that can be looked up", path, errno);
}

void LocalFileSystem::list(const std::string& folder,
                           const ListOptions& options,
                           const EntryVisitor& visit) {
  list_folder(folder, "", options, visit);
}

void LocalFileSystem::make_dirs(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(local_path(folder), failed);
  if (failed) {
    raise_errno("make_dirs", "a folder that can be made", folder,
                failed.value());
  }
}

void LocalFileSystem::remove(const std::string& path) {
  if (std::remove(local_path(path).c_str()) != 0) {
    raise_errno("remove", "a file or empty folder that can be removed", path,
                errno);
  }
}

void LocalFileSystem::remove_tree(const std::string& folder) {
  // With a slash behind it a link would be followed.
  const std::string path =
      local_path(std::string(without_last_slashes(folder)));
  struct stat state {};
  int code = lstat(path.c_str(), &state) == 0 ? 0 : errno;
  if (code == 0 && !S_ISDIR(state.st_mode) && !S_ISLNK(state.st_mode)) {
    code = ENOTDIR;
  }
  if (code == 0) {
    std::error_code failed;
    fs::remove_all(path, failed);
    code = failed.value();
  }
  if (code != 0) raise_errno("remove_tree", "a folder", folder, code);
}

void LocalFileSystem::rename(const std::string& from, const std::string& to) {
  if (std::rename(local_path(from).c_str(), local_path(to).c_str()) != 0) {
    if (errno == EXDEV) return move_by_copy(from, to);
    raise_errno("rename", "a file that can be moved to \"" + to + "\"", from,
                errno);
  }
}

}  // namespace systolic::io::detail
