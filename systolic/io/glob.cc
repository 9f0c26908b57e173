// glob(): walks only where the pattern leads.
#include <algorithm>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/io/file_system.h"
#include "systolic/io/glob_pattern.h"
#include "systolic/io/path.h"

namespace systolic::io {
namespace {

using detail::GlobPattern;

// The first name of a path or pattern and what is behind its slash.
std::pair<std::string_view, std::string_view> split_first(
    std::string_view path) {
  const size_t slash = path.find('/');
  if (slash == std::string_view::npos) return {path, {}};
  std::string_view rest = path.substr(slash + 1);
  while (!rest.empty() && rest.front() == '/') rest.remove_prefix(1);
  return {path.substr(0, slash), rest};
}

std::string join(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : join_path(folder, name);
}

// Finds the paths of one pattern without braces.
class Walk {
 public:
  // `folders_only` is of patterns with a slash at their end.
  Walk(FileSystem& files, bool folders_only, std::vector<std::string>* found)
      : files_(files), folders_only_(folders_only), found_(found) {}

  // The matches of `pattern` in `folder`, an existing folder or a guess;
  // `below` one that was found by a wildcard.
  void visit(const std::string& folder, std::string_view pattern,
             bool below = false) const {
    const auto parts = split_first(pattern);
    // Not a binding, which older compilers let no lambda capture.
    const std::string_view rest = parts.second;
    const GlobPattern names(parts.first);
    if (names.crosses_folders()) {
      return visit_all(folder, pattern, below);
    }
    if (names.is_literal()) {
      const std::string path = join(folder, names.literal_prefix());
      if (!rest.empty()) return visit(path, rest, below);
      look(below, [&] {
        if (const auto stat = files_.find(path)) take({path, *stat});
      });
      return;
    }
    std::vector<std::string> folders;
    list(folder, {.prefix = names.literal_prefix()}, below,
         [&](const DirectoryEntry& entry) {
           if (!names.matches(base_name(entry.path))) return;
           if (rest.empty()) {
             take(entry);
           } else if (entry.stat.is_directory) {
             folders.push_back(entry.path);
           }
         });
    for (const std::string& path : folders) visit(path, rest, true);
  }

 private:
  void take(const DirectoryEntry& entry) const {
    if (folders_only_ && !entry.stat.is_directory) return;
    found_->push_back(entry.path);
  }

  // The files below `folder` that match, however deep.
  void visit_all(const std::string& folder, std::string_view pattern,
                 bool below) const {
    const GlobPattern paths(pattern);
    const size_t begin = join(folder, "").size();
    list(folder, {.recursive = true, .prefix = paths.literal_prefix()}, below,
         [&](const DirectoryEntry& entry) {
           if (!entry.stat.is_directory &&
               paths.matches(std::string_view(entry.path).substr(begin))) {
             found_->push_back(entry.path);
           }
         });
  }

  template <class F>
  void list(const std::string& folder, const ListOptions& options, bool below,
            F visit) const {
    look(below, [&] {
      files_.list(folder, options, [&](const DirectoryEntry& entry) {
        visit(entry);
        return true;
      });
    });
  }

  // Calls `f`, which looks at a folder.
  template <class F>
  static void look(bool below, F f) {
    try {
      f();
    } catch (const NotFoundError&) {
      // The folder was a guess: no match there.
    } catch (const PermissionDeniedError&) {
      // Nobody asked for this one by its name.
      if (!below) throw;
    }
  }

  FileSystem& files_;
  const bool folders_only_;
  std::vector<std::string>* found_;
};

// Adds the matches of a pattern without braces.
void glob_into(const std::string& pattern, std::vector<std::string>* found) {
  FileSystem& files = file_system_for(pattern);
  if (!files.can_list()) {
    if (pattern.find('*') != std::string::npos) {
      internal::Message("glob")
          .rule("nobody lists the files of a web server")
          .detail("pattern", pattern)
          .hint("give the addresses one by one")
          .raise<ValueError>();
    }
    // A `?` in an address begins its query.
    if (files.find(pattern)) found->push_back(pattern);
    return;
  }
  const GlobPattern whole(pattern);
  const bool folders_only = pattern.ends_with('/');
  if (whole.is_literal()) {
    const auto stat = files.find(whole.literal_prefix());
    if (stat && (stat->is_directory || !folders_only)) {
      found->push_back(whole.literal_prefix());
    }
    return;
  }
  // Whatever the root is, nobody lists what is above it: "gs://bucket", "/".
  const std::string scheme = detail::scheme_of(pattern);
  std::string_view rest = detail::without_scheme(pattern);
  std::string root = pattern.substr(0, pattern.size() - rest.size());
  if (!rest.empty() && rest.front() == '/') {
    root += "/";
    while (!rest.empty() && rest.front() == '/') rest.remove_prefix(1);
  } else if (!scheme.empty() && scheme != "file") {
    const auto [bucket, behind] = split_first(rest);
    root += bucket;
    rest = behind;
  }
  Walk(files, folders_only, found).visit(root, rest);
}

}  // namespace

std::vector<std::string> glob(const std::string& pattern) {
  return glob(std::vector<std::string>{pattern});
}

std::vector<std::string> glob(const std::vector<std::string>& patterns) {
  std::vector<std::string> found;
  for (const std::string& pattern : patterns) {
    for (const std::string& one : detail::expand_braces(pattern)) {
      glob_into(one, &found);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace systolic::io
