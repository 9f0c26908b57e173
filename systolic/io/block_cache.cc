#include "systolic/io/block_cache.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/base/sha256.h"
#include "systolic/io/file.h"
#include "systolic/io/storage_options.h"

namespace systolic::io::detail {
namespace {

namespace fs = std::filesystem;

// A block's file: its bytes behind their digest.
constexpr size_t kDigestSize = 64;

// Which block of which version of which file, as a path in the folder.
fs::path block_path(const fs::path& folder, const RangeSource& source,
                    int64_t offset, size_t size) {
  const std::string name =
      internal::sha256(source.path() + '\n' + source.version() + '\n' +
                       std::to_string(source.size()) + '\n' +
                       std::to_string(offset) + '\n' + std::to_string(size));
  return folder / name.substr(0, 2) / (name + ".block");
}

// What a program leaves that is killed while it writes a block; one that is
// being written is younger.
constexpr std::chrono::hours kPartLives{24};

// "<name>.block.part-<process>-<number>", as write_file has it.
bool is_part(const fs::path& path) {
  return path.filename().string().find(".block.part-") != std::string::npos;
}

// Keeps the bytes of all blocks below a limit.
class Folder {
 public:
  // Notes that `bytes` were added and removes the blocks not used for longest
  // where there are too many now.
  void added(const fs::path& folder, int64_t bytes, int64_t limit) {
    const std::lock_guard lock(mutex_);
    if (folder_ != folder) {
      folder_ = folder;
      bytes_ = clean(limit);
      return;
    }
    bytes_ += bytes;
    if (bytes_ > limit) bytes_ = clean(limit);
  }

 private:
  struct File {
    fs::file_time_type used;
    int64_t size;
    fs::path path;
  };

  // Removes what is too much and a tenth more; returns what is left.
  int64_t clean(int64_t limit) const {
    std::vector<File> files;
    int64_t bytes = 0;
    std::error_code ignored;
    for (fs::recursive_directory_iterator at(folder_, ignored), end;
         !ignored && at != end; at.increment(ignored)) {
      std::error_code failed;
      const bool part = is_part(at->path());
      if (!part && at->path().extension() != ".block") continue;
      const auto size = static_cast<int64_t>(at->file_size(failed));
      const auto used = at->last_write_time(failed);
      if (failed) continue;
      if (part) {
        const auto age = fs::file_time_type::clock::now() - used;
        if (age < kPartLives || !fs::remove(at->path(), failed)) bytes += size;
        continue;
      }
      files.push_back({used, size, at->path()});
      bytes += size;
    }
    if (bytes <= limit) return bytes;
    std::sort(files.begin(), files.end(),
              [](const File& a, const File& b) { return a.used < b.used; });
    for (const File& file : files) {
      if (bytes <= limit - limit / 10) break;
      if (fs::remove(file.path, ignored)) bytes -= file.size;
    }
    return bytes;
  }

  std::mutex mutex_;
  fs::path folder_;
  int64_t bytes_ = 0;
};

// Whether the block was there, whole and unharmed.
bool read_block(const fs::path& path, std::span<std::byte> out) {
  std::error_code missing;
  if (fs::file_size(path, missing) != kDigestSize + out.size() || missing) {
    return false;
  }
  const std::string file = read_file(path);
  if (file.size() != kDigestSize + out.size()) return false;
  const std::string_view bytes = std::string_view(file).substr(kDigestSize);
  if (internal::sha256(bytes) !=
      std::string_view(file).substr(0, kDigestSize)) {
    return false;
  }
  std::memcpy(out.data(), bytes.data(), bytes.size());
  // The time of writing is the time of use.
  fs::last_write_time(path, fs::file_time_type::clock::now(), missing);
  return true;
}

void write_block(const fs::path& path, std::span<const std::byte> bytes) {
  std::vector<std::byte> file(kDigestSize + bytes.size());
  const std::string digest = internal::sha256(bytes);
  std::memcpy(file.data(), digest.data(), kDigestSize);
  std::memcpy(file.data() + kDigestSize, bytes.data(), bytes.size());
  write_file(path, file, kCached);
}

}  // namespace

void fetch_through_cache(RangeSource& source, int64_t offset,
                         std::span<std::byte> out,
                         const std::stop_token& stop) {
  // Never destroyed: a read-ahead may be under way when the program ends.
  static Folder& folder = *new Folder;
  static std::once_flag once;
  const StorageOptions options = storage_options();
  if (options.cache_folder.empty() || source.version().empty()) {
    return source.fetch(offset, out, stop);
  }
  const auto complain = [](const std::exception& e) {
    std::call_once(once, [&e] {
      log(LogLevel::warning,
          std::string("the cache of remote blocks fails: ") + e.what());
    });
  };
  const fs::path path =
      block_path(options.cache_folder, source, offset, out.size());
  try {
    if (read_block(path, out)) return;
  } catch (const fs::filesystem_error& e) {
    complain(e);
  }
  source.fetch(offset, out, stop);
  try {
    write_block(path, out);
    folder.added(options.cache_folder,
                 static_cast<int64_t>(kDigestSize + out.size()),
                 options.cache_bytes);
  } catch (const fs::filesystem_error& e) {
    complain(e);
  }
}

}  // namespace systolic::io::detail
