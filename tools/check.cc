// Tested by: tools/check_platform_test.cc
#include "tools/check.h"

#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <ostream>
#include <string>

#include "systolic/base/error.h"
#include "systolic/base/out.h"
#include "systolic/platforms/kernels.h"
#include "systolic/platforms/platform.h"
#include "systolic/platforms/search.h"
#include "systolic/platforms/verdict.h"
#include "systolic/runtime/self_check.h"
#include "tools/child.h"

namespace systolic::tools {
namespace {

namespace platforms = internal::platforms;
namespace runtime = internal::runtime;
using platforms::Verdict;

constexpr int kTimeoutSeconds = 600;
// As many virtual devices as the rehearsals of a TPU have.
constexpr int kDevices = 8;

// The names of the verdicts on a platform's plugin and on its kernels, which
// is empty where there are none.
struct Identities {
  explicit Identities(const platforms::PlatformRow& row,
                      const std::string& plugin)
      : plugin(platforms::plugin_identity(plugin)) {
    std::error_code none;
    if (row.ffi_platform.empty()) return;
    for (const std::string& path : platforms::kernel_candidates(row)) {
      if (!std::filesystem::is_regular_file(path, none)) continue;
      kernels = platforms::kernels_identity(plugin, path);
      return;
    }
  }

  std::string plugin;
  std::string kernels;
};

// "passed 44 checks on 2026-11-28 03:56 UTC".
std::string text_of(const Verdict& verdict) {
  const std::string when = " on " + platforms::time_text(verdict.when);
  if (verdict.passed()) {
    return fmt::format("passed {} checks{}", verdict.checks, when);
  }
  return "failed " + verdict.failed + when + "\n" + verdict.failure;
}

// Remembers a verdict and says so.
void remember(const char* what, const std::string& identity,
              const Verdict& verdict, const Say& say) {
  const std::string outcome =
      verdict.passed() ? fmt::format("passed {} checks", verdict.checks)
                       : "FAILED the check " + verdict.failed;
  const std::string file = platforms::verdict_file(identity).string();
  const bool is_kept =
      !identity.empty() && platforms::write_verdict(identity, verdict);
  say(fmt::format("{} {}; {} {}\n", what, outcome,
                  is_kept ? "remembered in" : "could not be remembered in",
                  file));
}

// What the child does; a check that failed ends it with an error.
void make_checks(const platforms::PlatformRow& row,
                 const std::string& plugin_path, const Say& say) {
  const platforms::Platform& platform =
      platforms::Platform::load_unchecked(row.name, plugin_path);
  runtime::Client& client =
      runtime::Client::open({.platform = std::string(row.name),
                             .device_count = kDevices,
                             .path = plugin_path});
  const runtime::CheckResult result = runtime::self_check(client, say);
  remember("the plugin", platforms::plugin_identity(plugin_path), result.plugin,
           say);
  if (result.kernels) {
    remember("our kernels",
             platforms::kernels_identity(plugin_path, platform.kernels().path),
             *result.kernels, say);
  }
  if (!result.plugin.passed()) {
    throw PlatformError(fmt::format(
        "The plugin is refused from now on; SYSTOLIC_FORCE_PLATFORM={} uses it "
        "all the same.\n",
        row.name));
  }
  if (result.kernels && !result.kernels->passed()) {
    throw PlatformError(
        "Our kernels are not used from now on; everything works without "
        "them.\n");
  }
}

// Whether a signal is a fault of the program's own.
bool is_crash(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL ||
         signal == SIGFPE || signal == SIGABRT;
}

// The check that the child was about when it ended.
std::string last_check(const std::string& text) {
  const size_t line = text.rfind('\n');
  std::string name = line == std::string::npos ? text : text.substr(line + 1);
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name;
}

// A child that crashed has not remembered it.
void remember_crash(const Identities& identities, const ChildResult& result) {
  const std::string check = last_check(result.text);
  if (!is_crash(result.signal) || check.empty()) return;
  const bool is_kernel = check.starts_with("kernel ");
  remember(is_kernel ? "our kernels" : "the plugin",
           is_kernel ? identities.kernels : identities.plugin,
           {.failed = check, .failure = "the process was " + result.problem},
           [](std::string_view text) { output() << text; });
}

// Whether the checks need not be made; says what is remembered.
bool is_remembered(const Identities& identities, bool& passed) {
  const auto plugin = platforms::read_verdict(identities.plugin);
  const auto kernels = platforms::read_verdict(identities.kernels);
  if (!plugin || (!kernels && !identities.kernels.empty())) return false;
  output() << "the plugin " << text_of(*plugin) << "\n";
  if (kernels) output() << "our kernels " << text_of(*kernels) << "\n";
  output() << "`--check --again` checks again\n";
  passed = plugin->passed() && (!kernels || kernels->passed());
  return true;
}

}  // namespace

bool check_platform(const platforms::PlatformRow& row, bool again) {
  const platforms::SearchResult search = platforms::search(row);
  if (!search.found) platforms::throw_not_found(row, search);
  const std::string& path = search.found->path;
  output() << row.name << ": " << path << "\n";
  const Identities identities(row, path);
  bool passed = false;
  if (!again && is_remembered(identities, passed)) return passed;
  const ChildResult result = run_in_child(
      [&](const Say& say) { make_checks(row, path, say); },
      [](std::string_view text) { output() << text << std::flush; },
      kTimeoutSeconds);
  if (result.problem.empty()) return true;
  // An error was heard already.
  if (result.signal != 0) {
    output() << result.problem << "\n";
    remember_crash(identities, result);
  } else if (result.problem.starts_with("took longer")) {
    output() << result.problem << ", which is not remembered\n";
  }
  return false;
}

bool check_platforms(bool again) {
  bool all_passed = true;
  for (const platforms::PlatformRow& row : platforms::rows()) {
    if (!platforms::search(row).found) {
      output() << row.name << ": not installed\n";
    } else if (!check_platform(row, again)) {
      all_passed = false;
    }
  }
  return all_passed;
}

}  // namespace systolic::tools
