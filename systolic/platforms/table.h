// The platforms, one row each: what is special about a platform is here and
// nowhere else. Adding one is a row in table.cc and a page in
// docs/reference/platforms/.
//
//   const PlatformRow& row = find_row("cpu");  // NotFoundError lists the names
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "systolic/platforms/capability.h"

namespace systolic::internal::platforms {

// An environment variable that is set before the plugin is loaded, unless the
// user has set it.
struct EnvironmentSetting {
  std::string_view name;
  std::string_view value;
  // Whether it is needed on this machine; null: always.
  bool (*applies)() = nullptr;
};

// A compiler option that every program of the platform is compiled with,
// unless the plugin does not know it.
struct CompilerSetting {
  std::string_view name;
  std::variant<std::string_view, bool, int64_t, double> value;
};

// Everything that is special about one platform.
struct PlatformRow {
  // What users write and what the folder and the variable are called.
  std::string_view name;
  // A few words for people.
  std::string_view title;
  // What its devices are called: "CPU", "TPU", "GPU".
  std::string_view device_type;
  // The plugin's file names in the platform's own folder.
  std::span<const std::string_view> files;
  // Its paths below a Python site-packages folder.
  std::span<const std::string_view> python_files;
  // The command that installs it.
  std::string_view install;
  std::span<const EnvironmentSetting> environment;
  // What else is done before the plugin is loaded; may be null.
  void (*prepare)() = nullptr;
  // The plugin's option for the number of devices to show; may be empty.
  std::string_view device_count_option = "";
  std::span<const CompilerSetting> compiler_settings = {};
  // Settings besides, for small programs that run once.
  std::span<const CompilerSetting> one_run_settings = {};
  // The word that FFI handlers are registered under; empty: no FFI.
  std::string_view ffi_platform = "";
  // Whether this machine has its devices; null: the plugin is asked. Without
  // them a plugin may still compile for them.
  bool (*has_hardware)() = nullptr;
  std::span<const Capability> capabilities = {};
};

// All rows, in the order they are shown.
std::span<const PlatformRow> rows();

// The row of a name; NotFoundError listing the names that exist.
const PlatformRow& find_row(std::string_view name);

// "SYSTOLIC_PLATFORM_CPU": the variable that holds the plugin's path.
std::string environment_variable(const PlatformRow& row);

}  // namespace systolic::internal::platforms
