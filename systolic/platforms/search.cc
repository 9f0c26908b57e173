#include "systolic/platforms/search.h"

#include <algorithm>
#include <filesystem>

#include "systolic/base/message.h"
#include "systolic/base/user_folders.h"

namespace systolic::internal::platforms {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

std::vector<fs::path> folders_in(const fs::path& parent) {
  std::vector<fs::path> folders;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(parent, none)) {
    if (entry.is_directory(none)) folders.push_back(entry.path());
  }
  return folders;
}

// PREFIX/lib/python3.11/site-packages and Debian's dist-packages.
void add_prefix(const fs::path& prefix, std::vector<std::string>& found) {
  for (const fs::path& folder : folders_in(prefix / "lib")) {
    if (!folder.filename().string().starts_with("python3")) continue;
    for (const char* name : {"site-packages", "dist-packages"}) {
      std::error_code none;
      const std::string path = (folder / name).string();
      const bool is_new =
          std::find(found.begin(), found.end(), path) == found.end();
      if (is_new && fs::is_directory(path, none)) found.push_back(path);
    }
  }
}

// The folder above bin/ of the first python3 on the PATH, links followed.
std::string python_prefix() {
  const std::string path = environment("PATH");
  size_t start = 0;
  while (start <= path.size()) {
    size_t end = path.find(':', start);
    if (end == std::string::npos) end = path.size();
    const fs::path file = fs::path(path.substr(start, end - start)) / "python3";
    if (is_file(file)) {
      std::error_code none;
      const fs::path real = fs::canonical(file, none);
      return real.parent_path().parent_path().string();
    }
    start = end + 1;
  }
  return "";
}

// A folder that is named after its version alone holds the platform's usual
// package; one named after another package, "xla-cpu-pjrt-0.0.1", comes behind
// whatever the numbers say.
bool comes_before(const fs::path& a, const fs::path& b) {
  const std::string left = a.filename().string();
  const std::string right = b.filename().string();
  const auto is_usual = [](const std::string& name) {
    return !name.empty() && name.front() >= '0' && name.front() <= '9';
  };
  if (is_usual(left) != is_usual(right)) return is_usual(left);
  return is_older(right, left);
}

bool look_at(const fs::path& path, SearchResult& result) {
  result.looked.push_back(path.string());
  return is_file(path);
}

bool look_in_folder(const PlatformRow& row, SearchResult& result) {
  const std::string parent = platform_folder(row);
  std::vector<fs::path> versions = folders_in(parent);
  std::sort(versions.begin(), versions.end(), comes_before);
  for (const fs::path& version : versions) {
    for (std::string_view file : row.files) {
      if (!look_at(version / file, result)) continue;
      result.found = {(version / file).string(), version.filename().string(),
                      "platform folder"};
      return true;
    }
  }
  if (versions.empty()) result.looked.push_back(parent);
  return false;
}

bool look_in_python(const PlatformRow& row, SearchResult& result) {
  for (const std::string& folder : site_packages()) {
    for (std::string_view file : row.python_files) {
      const fs::path path = fs::path(folder) / file;
      if (!is_file(path)) continue;
      result.looked.push_back(path.string());
      result.found = {path.string(), "", "Python's site-packages"};
      return true;
    }
    result.looked.push_back(folder);
  }
  return false;
}

}  // namespace

bool is_older(std::string_view a, std::string_view b) {
  const auto next_number = [](std::string_view& text) {
    int64_t number = -1;
    while (!text.empty() && (text.front() < '0' || text.front() > '9')) {
      text.remove_prefix(1);
    }
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
      number = std::max<int64_t>(number, 0) * 10 + (text.front() - '0');
      text.remove_prefix(1);
    }
    return number;
  };
  std::string_view left = a;
  std::string_view right = b;
  while (!left.empty() || !right.empty()) {
    const int64_t x = next_number(left);
    const int64_t y = next_number(right);
    if (x != y) return x < y;
  }
  return a < b;
}

std::string platform_folder(const PlatformRow& row) {
  return (data_folder() / "platforms" / row.name).string();
}

std::vector<std::string> site_packages() {
  std::vector<std::string> found;
  for (const char* active : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string prefix = environment(active);
    if (!prefix.empty()) add_prefix(prefix, found);
  }
  const std::string python = python_prefix();
  if (!python.empty()) add_prefix(python, found);
  add_prefix(home_folder() / ".local", found);
  add_prefix("/usr/local", found);
  add_prefix("/usr", found);
  return found;
}

SearchResult search(const PlatformRow& row, const std::string& path) {
  SearchResult result;
  const std::string name = environment_variable(row);
  const std::string from_environment = environment(name.c_str());
  if (!path.empty()) {
    if (look_at(path, result)) result.found = {path, "", "path given"};
    return result;
  }
  if (!from_environment.empty()) {
    if (look_at(from_environment, result)) {
      result.found = {from_environment, "", name};
    }
    return result;
  }
  result.looked.push_back(name + " (not set)");
  if (!look_in_folder(row, result)) look_in_python(row, result);
  return result;
}

void throw_not_found(const PlatformRow& row, const SearchResult& result) {
  Message message("platform \"" + std::string(row.name) + "\"");
  message.rule("no plugin was found for ", row.title);
  for (const std::string& place : result.looked) {
    message.detail("looked at", place);
  }
  message
      .hint("run `", row.install, "`, or set ", environment_variable(row),
            " to the plugin's file")
      .raise<NotFoundError>();
}

}  // namespace systolic::internal::platforms
