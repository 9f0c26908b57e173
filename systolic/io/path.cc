#include "systolic/io/path.h"

#include <cctype>

#include "systolic/io/file_system.h"

namespace systolic::io {
namespace detail {
namespace {

// The size of "gs://", 0 where the path has no scheme.
size_t scheme_size(std::string_view path) {
  const size_t colon = path.find("://");
  if (colon == std::string_view::npos || colon == 0) return 0;
  for (const char c : path.substr(0, colon)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) == 0 && c != '+' && c != '-' && c != '.') return 0;
  }
  return colon + 3;
}

}  // namespace

std::string scheme_of(std::string_view path) {
  const size_t size = scheme_size(path);
  std::string scheme(path.substr(0, size == 0 ? 0 : size - 3));
  for (char& c : scheme) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return scheme;
}

std::string_view without_scheme(std::string_view path) {
  return path.substr(scheme_size(path));
}

std::string_view without_last_slashes(std::string_view path) {
  const size_t least = scheme_size(path) + 1;
  while (path.size() > least && path.back() == '/') path.remove_suffix(1);
  return path;
}

bool same_path(std::string_view a, std::string_view b) {
  return without_last_slashes(a) == without_last_slashes(b);
}

std::string_view pattern_hint(std::string_view path) {
  if (path.find_first_of("*?[{") == std::string_view::npos) return {};
  return "io::glob() and Dataset::list_files() find the files of a pattern";
}

}  // namespace detail

std::string join_path(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty() && path.back() != '/') path += '/';
  return path += name;
}

std::string base_name(std::string_view path) {
  path = detail::without_last_slashes(path);
  const std::string_view rest = detail::without_scheme(path);
  return std::string(rest.substr(rest.rfind('/') + 1));
}

std::string directory_name(std::string_view path) {
  path = detail::without_last_slashes(path);
  const size_t begin = path.size() - detail::without_scheme(path).size();
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash < begin) {
    return std::string(path.substr(0, begin));
  }
  // The folder of "/file" is "/".
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

}  // namespace systolic::io
