#include "systolic/platforms/fingerprint.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/base/sha256.h"
#include "systolic/base/user_folders.h"
#include "systolic/io/file.h"

namespace systolic::internal::platforms {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDigits = 64;
constexpr std::streamsize kPart = std::streamsize{1} << 20;

// What changes when a file's bytes do: also the time of the inode's change,
// since an unpacked archive brings its files' own times along.
std::optional<std::string> state_of(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return std::nullopt;
  std::string text;
  const auto add = [&text](auto number) {
    text += std::to_string(number) + " ";
  };
  add(file.st_dev);
  add(file.st_ino);
  add(file.st_size);
  add(file.st_mtim.tv_sec);
  add(file.st_mtim.tv_nsec);
  add(file.st_ctim.tv_sec);
  add(file.st_ctim.tv_nsec);
  return text;
}

std::string hash_file(const std::string& path) {
  Sha256 hash;
  std::ifstream file(path, std::ios::binary);
  std::vector<char> part(static_cast<size_t>(kPart));
  while (file) {
    file.read(part.data(), kPart);
    hash.add(std::string_view(part.data(), static_cast<size_t>(file.gcount())));
  }
  if (!file.eof()) {
    Message("fingerprint")
        .expected("a file that can be read")
        .got(path)
        .raise<NotFoundError>();
  }
  return hash.finish();
}

bool is_digest(const std::string& text) {
  return text.size() == kDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The digest in a memory file, if the file is about this state of this path.
std::string remembered(const fs::path& memory, const std::string& path,
                       const std::string& state) {
  std::ifstream file(memory);
  std::string known_path;
  std::string known_state;
  std::string digest;
  std::getline(file, known_path);
  std::getline(file, known_state);
  std::getline(file, digest);
  const bool fits =
      known_path == path && known_state == state && is_digest(digest);
  return fits ? digest : "";
}

void remember(const fs::path& memory, const std::string& text) {
  try {
    io::detail::write_file(memory, std::as_bytes(std::span(text)),
                           io::detail::kCached);
  } catch (const fs::filesystem_error& error) {
    log(LogLevel::debug, std::string("fingerprint: ") + error.what());
  }
}

}  // namespace

std::string fingerprint(const std::string& path) {
  std::error_code none;
  const fs::path real = fs::canonical(path, none);
  const std::string file = none ? path : real.string();
  const std::optional<std::string> state = state_of(file);
  if (!state) return hash_file(file);  // which throws
  const fs::path memory =
      cache_folder() / "fingerprints" / sha256(file).substr(0, 16);
  std::string digest = remembered(memory, file, *state);
  if (!digest.empty()) return digest;
  digest = hash_file(file);
  // A file that was written meanwhile has another digest by now.
  if (state_of(file) == state) {
    remember(memory, file + "\n" + *state + "\n" + digest + "\n");
  }
  return digest;
}

}  // namespace systolic::internal::platforms
