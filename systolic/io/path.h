// The parts of a path: "gs://bucket/folder/file" and "folder/file".
#pragma once

#include <string>
#include <string_view>

namespace systolic::io::detail {

// "gs" of "gs://bucket/file", in lower case; empty where there is none.
std::string scheme_of(std::string_view path);
// "bucket/file" of "gs://bucket/file"; a path without scheme as it is.
std::string_view without_scheme(std::string_view path);
// The path without slashes at its end, but "/" and "gs://bucket" as they are.
std::string_view without_last_slashes(std::string_view path);
// Whether two paths differ at most in slashes at their ends.
bool same_path(std::string_view a, std::string_view b);

// What to do where a path without a file looks like a pattern; else nothing.
std::string_view pattern_hint(std::string_view path);

}  // namespace systolic::io::detail
