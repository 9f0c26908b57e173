// Where a platform's plugin is looked for, in this order: the path given, the
// variable SYSTOLIC_PLATFORM_<NAME>, the platform's own folder (the newest
// version of its usual package, then other packages), Python's site-packages.
//
//   SearchResult result = search(find_row("cpu"));
//   if (result.found) std::cout << result.found->path;
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/platforms/table.h"

namespace systolic::internal::platforms {

// A plugin's file.
struct FoundPlugin {
  std::string path;
  // The folder's name, "0.11.2" or, of a package that is not the platform's
  // usual one, "xla-cpu-pjrt-0.0.1"; empty where no name says it.
  std::string version;
  // Which of the places it was found by: "SYSTOLIC_PLATFORM_CPU".
  std::string origin;
};

// The plugin, if there is one, and every place that was looked at, in order.
struct SearchResult {
  std::optional<FoundPlugin> found;
  std::vector<std::string> looked;
};

// Looks for a plugin. A path that is given, by argument or by variable, is
// the only place looked at.
SearchResult search(const PlatformRow& row, const std::string& path = "");

// Throws the NotFoundError that lists the places and says how to install.
[[noreturn]] void throw_not_found(const PlatformRow& row,
                                  const SearchResult& result);

// "~/.local/share/systolic/platforms/cpu", or below XDG_DATA_HOME.
std::string platform_folder(const PlatformRow& row);

// Python's site-packages folders that exist on this machine, those of an
// active environment first.
std::vector<std::string> site_packages();

// Whether version a is older than b: "0.9.1" is older than "0.11.2".
bool is_older(std::string_view a, std::string_view b);

}  // namespace systolic::internal::platforms
