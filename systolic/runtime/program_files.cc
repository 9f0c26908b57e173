#include "systolic/runtime/program_files.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "systolic/base/log.h"
#include "systolic/base/sha256.h"
#include "systolic/io/file.h"

namespace systolic::internal::runtime {
namespace {

namespace fs = std::filesystem;

// A file is this line, the SHA-256 of all that follows it, the lines of the
// header, an empty line and the program.
constexpr std::string_view kFirstLine = "systolic program 1";
constexpr std::string_view kEnding = ".program";
constexpr size_t kDigits = 64;
// A file aside is a crashed writer's after this time.
constexpr auto kStale = std::chrono::hours(24);

bool is_key(std::string_view text) {
  return text.size() == kDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_program(const fs::path& path) {
  return path.extension() == kEnding && is_key(path.stem().string());
}

// "<key>.program.part-<process>-<number>", as io::detail::write_file has it.
bool is_part(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string middle = std::string(kEnding) + ".part-";
  return is_key(name.substr(0, kDigits)) &&
         name.compare(std::min(kDigits, name.size()), middle.size(), middle) ==
             0;
}

int64_t seconds_of(fs::file_time_type time) {
  const auto system = std::chrono::file_clock::to_sys(time);
  return std::chrono::duration_cast<std::chrono::seconds>(
             system.time_since_epoch())
      .count();
}

int64_t now_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// The text up to `end`, which is taken off with it; all of it if there is none.
std::string_view take(std::string_view& text, std::string_view end) {
  const size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size()
                                                  : at + end.size());
  return taken;
}

std::string header_of(const std::string& key, const ProgramInfo& info) {
  std::ostringstream text;
  text << key << "\n"
       << one_line(info.platform) << "\n"
       << info.made << "\n"
       << one_line(info.name) << "\n\n";
  return text.str();
}

// Reads the lines of a header, and the empty line below; gives the key.
std::string parse_header(std::string_view& text, ProgramInfo& info) {
  const std::string key(take(text, "\n"));
  info.platform = take(text, "\n");
  info.made = std::strtoll(std::string(take(text, "\n")).c_str(), nullptr, 10);
  info.name = take(text, "\n");
  take(text, "\n");
  return key;
}

// The program in a file's bytes, or what is wrong with them.
std::string check(const std::string& key, std::string& bytes) {
  std::string_view text = bytes;
  if (take(text, "\n") != kFirstLine) return "it is not a program of ours";
  const std::string_view digest = take(text, "\n");
  if (sha256(text) != digest) return "its bytes have changed";
  ProgramInfo info;
  if (parse_header(text, info) != key) return "it is another program's";
  bytes.erase(0, bytes.size() - text.size());
  return "";
}

// Whether this is the first complaint about a folder: one line is enough.
bool is_first_complaint(const fs::path& folder) {
  static std::mutex mutex;
  static auto* folders = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return folders->insert(folder.string()).second;
}

void complain_of_folder(const fs::path& folder, const std::string& what) {
  if (!is_first_complaint(folder)) return;
  log(LogLevel::warning,
      "program cache: " + what +
          "; programs are compiled at each start, and "
          "SYSTOLIC_CACHE may name another folder or be off");
}

std::optional<ProgramInfo> read_info(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string first;
  std::string digest;
  std::getline(file, first);
  std::getline(file, digest);
  std::string header;
  for (int i = 0; i < 4; ++i) {
    std::string line;
    std::getline(file, line);
    header += line + "\n";
  }
  if (!file || first != kFirstLine) return std::nullopt;
  ProgramInfo info;
  std::string_view text = header;
  if (parse_header(text, info) != path.stem().string()) return std::nullopt;
  return info;
}

// A file's time is its program's last use. The system's own times of writing
// are some milliseconds behind this clock.
void note_use(const fs::path& path) {
  std::error_code ignored;  // a folder that is only read has no last uses
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
}

struct Entry {
  fs::path path;
  uint64_t bytes;
  fs::file_time_type time;
};

// The files of a folder that `wanted` accepts. One that another process
// removes meanwhile is left out.
template <class Wanted>
std::vector<Entry> entries(const fs::path& folder, const Wanted& wanted) {
  std::vector<Entry> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (!wanted(it->path())) continue;
    std::error_code gone;
    const bool is_file = it->is_regular_file(gone);
    const uint64_t bytes = is_file ? it->file_size(gone) : 0;
    const fs::file_time_type time = it->last_write_time(gone);
    if (is_file && !gone) found.push_back({it->path(), bytes, time});
  }
  return found;
}

// Removes what crashed writers left; others are at work.
void remove_stale_parts(const fs::path& folder) {
  const auto now = fs::file_time_type::clock::now();
  for (const Entry& part : entries(folder, is_part)) {
    std::error_code ignored;
    if (now - part.time > kStale) fs::remove(part.path, ignored);
  }
}

}  // namespace

ProgramFiles::ProgramFiles(fs::path folder, uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

fs::path ProgramFiles::path_of(const std::string& key) const {
  return folder_ / (key + std::string(kEnding));
}

std::optional<std::string> ProgramFiles::find(const std::string& key) const {
  const fs::path path = path_of(key);
  std::string bytes;
  try {
    bytes = io::detail::read_file(path);
  } catch (const fs::filesystem_error& error) {
    const bool is_missing =
        error.code() == std::errc::no_such_file_or_directory ||
        error.code() == std::errc::not_a_directory;
    if (!is_missing) complain_of_folder(folder_, error.what());
    return std::nullopt;
  }
  const std::string problem = check(key, bytes);
  if (!problem.empty()) {
    complain(key, problem);
    return std::nullopt;
  }
  note_use(path);
  return bytes;
}

void ProgramFiles::complain(const std::string& key,
                            const std::string& problem) const {
  log(LogLevel::warning,
      "program cache: " + path_of(key).string() +
          " is of no use and compiled again: " + one_line(problem));
}

void ProgramFiles::keep(const std::string& key, const ProgramInfo& info,
                        std::string_view program) const {
  ProgramInfo made = info;
  made.made = now_seconds();
  const std::string header = header_of(key, made);
  Sha256 hash;
  hash.add(header);
  hash.add(program);
  std::string bytes(kFirstLine);
  bytes += "\n" + hash.finish() + "\n" + header;
  bytes += program;
  if (bytes.size() > most_bytes_) {
    log(LogLevel::debug, "program cache: a program of " +
                             std::to_string(bytes.size()) +
                             " bytes is more than all may have together");
    return;
  }
  try {
    io::detail::write_file(path_of(key), std::as_bytes(std::span(bytes)),
                           io::detail::kCached);
    note_use(path_of(key));
  } catch (const fs::filesystem_error& error) {
    complain_of_folder(folder_, error.what());
    return;
  }
  trim();
}

void ProgramFiles::trim() const {
  remove_stale_parts(folder_);
  std::error_code ignored;
  std::vector<Entry> programs = entries(folder_, is_program);
  uint64_t total = 0;
  for (const Entry& entry : programs) total += entry.bytes;
  std::sort(programs.begin(), programs.end(),
            [](const Entry& a, const Entry& b) { return a.time < b.time; });
  for (const Entry& entry : programs) {
    if (total <= most_bytes_) break;
    fs::remove(entry.path, ignored);
    total -= entry.bytes;
  }
}

std::vector<ProgramFile> ProgramFiles::list() const {
  std::vector<Entry> found = entries(folder_, is_program);
  std::sort(found.begin(), found.end(),
            [](const Entry& a, const Entry& b) { return a.time > b.time; });
  std::vector<ProgramFile> files;
  for (const Entry& entry : found) {
    files.push_back({.path = entry.path,
                     .info = read_info(entry.path).value_or(ProgramInfo{}),
                     .bytes = entry.bytes,
                     .last_use = seconds_of(entry.time)});
  }
  return files;
}

RemovedFiles ProgramFiles::clear() const {
  remove_stale_parts(folder_);
  RemovedFiles removed;
  for (const Entry& entry : entries(folder_, is_program)) {
    std::error_code failed;
    if (!fs::remove(entry.path, failed)) continue;
    removed.files += 1;
    removed.bytes += entry.bytes;
  }
  return removed;
}

}  // namespace systolic::internal::runtime
