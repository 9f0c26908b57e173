#include "systolic/platforms/platform.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/platforms/settings.h"
#include "systolic/platforms/tpu_topology.h"
#include "systolic/platforms/verdict.h"

namespace systolic::internal::platforms {
namespace {

// The loader's words name what is missing; the row knows the remedy.
pjrt::Plugin load_plugin(const PlatformRow& row, const FoundPlugin& found) {
  apply_environment(row.environment);
  if (row.prepare != nullptr) row.prepare();
  const KeptSignals signals;
  try {
    return pjrt::Plugin::load(found.path);
  } catch (const PlatformError& error) {
    throw PlatformError(std::string(error.what()) +
                            "\n  found by: " + found.origin + "\n  hint: `" +
                            std::string(row.install) +
                            "` installs this platform with what it needs",
                        error.call(), error.code());
  }
}

// Throws if the self-test found the plugin wrong, or warns if it is forced.
void heed_verdict(const PlatformRow& row, const FoundPlugin& found) {
  if (!has_verdicts()) return;
  const auto verdict = read_verdict(plugin_identity(found.path));
  if (!verdict || verdict->passed()) return;
  const std::string who = concatenate_text("platform \"", row.name, "\"");
  if (is_forced(row.name)) {
    log(LogLevel::warning,
        concatenate_text(who, ": the plugin failed ", verdict->failed,
                         " of its self-test and is used all the same, as "
                         "SYSTOLIC_FORCE_PLATFORM says: ",
                         found.path));
    return;
  }
  Message(who)
      .expected("a plugin that computes what it should")
      .got("one that failed its self-test: ", verdict->failed)
      .detail("failure", verdict->failure)
      .detail("checked", time_text(verdict->when))
      .detail("plugin", found.path)
      .hint("install another plugin (", row.install, "); `systolic platforms ",
            row.name, " --check --again` checks this one again; ",
            "SYSTOLIC_FORCE_PLATFORM=", row.name, " uses it all the same")
      .raise<PlatformError>();
}

// The platform works without kernels that the self-test found wrong.
KernelLibrary heed_verdict(const PlatformRow& row, const FoundPlugin& found,
                           KernelLibrary kernels) {
  if (kernels.names.empty() || !has_verdicts()) return kernels;
  const auto verdict = read_verdict(kernels_identity(found.path, kernels.path));
  if (!verdict || verdict->passed() || is_forced(row.name)) return kernels;
  kernels.names.clear();
  kernels.problem = "they failed their self-test on " +
                    time_text(verdict->when) + ": " + verdict->failed;
  log(LogLevel::warning,
      concatenate_text("platform \"", row.name,
                       "\": our kernels are not used: ", kernels.problem,
                       "; `systolic platforms ", row.name,
                       " --check --again` checks them again: ", kernels.path));
  return kernels;
}

}  // namespace

Platform::Platform(const PlatformRow& row, FoundPlugin found, Verdicts verdicts)
    : row_(row),
      found_(std::move(found)),
      plugin_(load_plugin(row_, found_)),
      kernels_(load_kernels(row_, plugin_)) {
  if (verdicts == Verdicts::heed) {
    kernels_ = heed_verdict(row_, found_, std::move(kernels_));
  }
}

Platform& Platform::load(std::string_view name, const std::string& path) {
  return load(name, path, Verdicts::heed);
}

Platform& Platform::load_unchecked(std::string_view name,
                                   const std::string& path) {
  return load(name, path, Verdicts::ignore);
}

Platform& Platform::load(std::string_view name, const std::string& path,
                         Verdicts verdicts) {
  static std::mutex mutex;
  static auto* loaded = new std::vector<std::unique_ptr<Platform>>;
  const PlatformRow& row = find_row(name);
  SearchResult result = search(row, path);
  if (!result.found) throw_not_found(row, result);
  const std::lock_guard lock(mutex);
  for (const auto& platform : *loaded) {
    if (&platform->row_ == &row &&
        platform->found_.path == result.found->path) {
      return *platform;
    }
  }
  if (verdicts == Verdicts::heed) heed_verdict(row, *result.found);
  loaded->emplace_back(new Platform(row, std::move(*result.found), verdicts));
  return *loaded->back();
}

bool Platform::has(Capability capability) const {
  if (capability == Capability::ffi_kernels) return !kernels_.names.empty();
  return std::find(row_.capabilities.begin(), row_.capabilities.end(),
                   capability) != row_.capabilities.end();
}

pjrt::Topology Platform::create_topology(std::string_view slice) const {
  const TpuTopologyName topology = tpu_topology_name(parse_tpu_topology(slice));
  pjrt::NamedValues options;
  if (!topology.chip_config.empty()) {
    options.emplace_back("chip_config_name", topology.chip_config);
  }
  return pjrt::Topology::create(plugin_, topology.name, options);
}

bool Platform::has_kernel(std::string_view name) const {
  return std::find(kernels_.names.begin(), kernels_.names.end(), name) !=
         kernels_.names.end();
}

pjrt::Client Platform::create_client(int device_count) const {
  pjrt::NamedValues options;
  if (!row_.device_count_option.empty()) {
    options.emplace_back(row_.device_count_option, int64_t{device_count});
  }
  return pjrt::Client::create(plugin_, options);
}

namespace {

std::vector<pjrt::OptionOverride> overrides_of(
    std::span<const CompilerSetting> settings) {
  std::vector<pjrt::OptionOverride> options;
  for (const CompilerSetting& setting : settings) {
    std::visit(
        [&](const auto& value) {
          using Given = std::decay_t<decltype(value)>;
          using Kept =
              std::conditional_t<std::is_same_v<Given, std::string_view>,
                                 std::string, Given>;
          options.emplace_back(std::string(setting.name), Kept(value));
        },
        setting.value);
  }
  return options;
}

}  // namespace

std::vector<pjrt::OptionOverride> Platform::compiler_settings() const {
  return overrides_of(row_.compiler_settings);
}

std::vector<pjrt::OptionOverride> Platform::one_run_settings() const {
  return overrides_of(row_.one_run_settings);
}

}  // namespace systolic::internal::platforms
