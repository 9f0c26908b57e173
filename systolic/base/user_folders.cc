#include "systolic/base/user_folders.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

namespace systolic::internal {
namespace {

namespace fs = std::filesystem;

fs::path xdg_folder(const char* variable, const fs::path& below_home) {
  const fs::path given = environment(variable);
  return (given.is_absolute() ? given : home_folder() / below_home) /
         "systolic";
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path home_folder() {
  const std::string home = environment("HOME");
  if (!home.empty()) return home;
  const passwd* user = getpwuid(getuid());
  if (user != nullptr) return user->pw_dir;
  std::error_code none;
  const fs::path temporary = fs::temp_directory_path(none);
  return none ? fs::path("/tmp") : temporary;
}

fs::path cache_folder() { return xdg_folder("XDG_CACHE_HOME", ".cache"); }

fs::path data_folder() {
  return xdg_folder("XDG_DATA_HOME", fs::path(".local") / "share");
}

}  // namespace systolic::internal
