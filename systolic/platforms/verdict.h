// What the self-test found of a plugin, remembered for later processes.
//
//   std::optional<Verdict> verdict = read_verdict(plugin_identity(path));
//   if (verdict && !verdict->passed()) std::cout << verdict->failure;
//
// The test itself is runtime/self_check.h; loading a platform only reads this.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace systolic::internal::platforms {

// The outcome of all checks of one plugin, or of one kernel library with it.
struct Verdict {
  int checks = 0;            // how many were made
  int64_t when = 0;          // seconds since 1970; set by write_verdict
  std::string failed = {};   // the first check that failed: "matmul float16"
  std::string failure = {};  // what was wrong, in one or more lines

  bool passed() const { return failed.empty(); }
};

// The name of a plugin's verdict: its fingerprint, or an empty text where its
// file cannot be read.
std::string plugin_identity(const std::string& plugin);

// The name of the verdict on a kernel library together with a plugin.
std::string kernels_identity(const std::string& plugin,
                             const std::string& kernels);

// The file of a verdict, in self_tests/ of cache_folder().
std::filesystem::path verdict_file(const std::string& identity);

// Whether any verdict was ever written: without, no fingerprint is needed.
bool has_verdicts();

// What was remembered. A file that is damaged or cannot be read counts as
// none, which is logged in one line.
std::optional<Verdict> read_verdict(const std::string& identity);

// Remembers a verdict with the time of now; others see it whole or not at
// all. Where it cannot be written this is logged in one line, and false.
bool write_verdict(const std::string& identity, const Verdict& verdict);

// "2026-11-28 03:56 UTC": a verdict's time for people.
std::string time_text(int64_t seconds);

// Whether SYSTOLIC_FORCE_PLATFORM names this platform: its plugin is used
// although it failed. Several names are separated by commas.
bool is_forced(std::string_view platform);

}  // namespace systolic::internal::platforms
