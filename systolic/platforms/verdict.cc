#include "systolic/platforms/verdict.h"

#include <chrono>
#include <ctime>
#include <span>
#include <sstream>
#include <system_error>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/base/sha256.h"
#include "systolic/base/user_folders.h"
#include "systolic/io/file.h"
#include "systolic/platforms/fingerprint.h"

namespace systolic::internal::platforms {
namespace {

namespace fs = std::filesystem;

// A file is this line, the SHA-256 of all that follows it, the identity, the
// time, the number of checks, the failed check's name and what was wrong. The
// number is raised when the checks change: older verdicts are then forgotten.
constexpr std::string_view kFirstLine = "systolic verdict 1";
constexpr std::string_view kEnding = ".verdict-1";

fs::path folder() { return cache_folder() / "self_tests"; }

void complain(const fs::path& path, const std::string& problem) {
  log(LogLevel::warning,
      "self-test: " + path.string() + " is of no use and ignored: " + problem);
}

std::string encode(const std::string& identity, const Verdict& verdict) {
  const std::string text = identity + "\n" + std::to_string(verdict.when) +
                           "\n" + std::to_string(verdict.checks) + "\n" +
                           verdict.failed + "\n" + verdict.failure;
  return std::string(kFirstLine) + "\n" + sha256(text) + "\n" + text;
}

// Sets `problem` where the bytes are no verdict on `identity`.
Verdict decode(const std::string& identity, const std::string& bytes,
               std::string& problem) {
  std::istringstream lines(bytes);
  std::string first, digest, owner, when, checks;
  Verdict verdict;
  std::getline(lines, first);
  std::getline(lines, digest);
  const size_t begin = first.size() + digest.size() + 2;
  std::getline(lines, owner);
  std::getline(lines, when);
  std::getline(lines, checks);
  std::getline(lines, verdict.failed);
  if (first != kFirstLine) {
    problem = "it is not a verdict of ours";
  } else if (begin > bytes.size() || sha256(bytes.substr(begin)) != digest) {
    problem = "its bytes have changed";
  } else if (owner != identity) {
    problem = "it is another plugin's";
  }
  if (!problem.empty()) return {};
  verdict.when = std::stoll(when);
  verdict.checks = std::stoi(checks);
  verdict.failure.assign(std::istreambuf_iterator<char>(lines), {});
  return verdict;
}

}  // namespace

std::string plugin_identity(const std::string& plugin) {
  try {
    return fingerprint(plugin);
  } catch (const NotFoundError&) {
    return "";  // the loader has more to say of it
  }
}

std::string kernels_identity(const std::string& plugin,
                             const std::string& kernels) {
  const std::string first = plugin_identity(plugin);
  const std::string second = plugin_identity(kernels);
  if (first.empty() || second.empty()) return "";
  return sha256("kernels " + first + " " + second);
}

fs::path verdict_file(const std::string& identity) {
  return folder() / (identity + std::string(kEnding));
}

bool has_verdicts() {
  std::error_code ignored;
  return fs::exists(folder(), ignored);
}

std::optional<Verdict> read_verdict(const std::string& identity) {
  if (identity.empty()) return std::nullopt;
  const fs::path path = verdict_file(identity);
  std::string problem;
  try {
    const std::string bytes = io::detail::read_file(path);
    Verdict verdict = decode(identity, bytes, problem);
    if (problem.empty()) return verdict;
  } catch (const fs::filesystem_error& error) {
    if (error.code() == std::errc::no_such_file_or_directory ||
        error.code() == std::errc::not_a_directory) {
      return std::nullopt;
    }
    problem = error.code().message();
  }
  complain(path, problem);
  return std::nullopt;
}

bool write_verdict(const std::string& identity, const Verdict& verdict) {
  Verdict dated = verdict;
  dated.when = std::chrono::duration_cast<std::chrono::seconds>(
                   std::chrono::system_clock::now().time_since_epoch())
                   .count();
  const std::string bytes = encode(identity, dated);
  try {
    io::detail::write_file(verdict_file(identity),
                           std::as_bytes(std::span(bytes)),
                           io::detail::kCached);
    return true;
  } catch (const fs::filesystem_error& error) {
    log(LogLevel::warning,
        std::string("self-test: its result is not remembered: ") +
            error.what());
    return false;
  }
}

std::string time_text(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

bool is_forced(std::string_view platform) {
  std::istringstream names(environment("SYSTOLIC_FORCE_PLATFORM"));
  for (std::string name; std::getline(names, name, ',');) {
    if (name == platform) return true;
  }
  return false;
}

}  // namespace systolic::internal::platforms
