#include "systolic/platforms/platform.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/platforms/settings.h"

namespace systolic::internal::platforms {
namespace {

// The loader's words name what is missing; the row knows the remedy.
pjrt::Plugin load_plugin(const PlatformRow& row, const FoundPlugin& found) {
  apply_environment(row.environment);
  if (row.prepare != nullptr) row.prepare();
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

}  // namespace

Platform::Platform(const PlatformRow& row, FoundPlugin found)
    : row_(row),
      found_(std::move(found)),
      plugin_(load_plugin(row_, found_)),
      kernels_(load_kernels(row_, plugin_)) {}

Platform& Platform::load(std::string_view name, const std::string& path) {
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
  loaded->emplace_back(new Platform(row, std::move(*result.found)));
  return *loaded->back();
}

bool Platform::has(Capability capability) const {
  if (capability == Capability::ffi_kernels) return !kernels_.names.empty();
  return std::find(row_.capabilities.begin(), row_.capabilities.end(),
                   capability) != row_.capabilities.end();
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

std::vector<pjrt::OptionOverride> Platform::compiler_settings() const {
  std::vector<pjrt::OptionOverride> options;
  for (const CompilerSetting& setting : row_.compiler_settings) {
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

}  // namespace systolic::internal::platforms
