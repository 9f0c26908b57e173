// Where a user's files are, by the rules of XDG, and environment variables.
//
//   std::filesystem::path programs = cache_folder() / "programs";
#pragma once

#include <filesystem>
#include <string>

namespace systolic::internal {

// The value of an environment variable; empty if it is not set.
std::string environment(const char* name);

// $HOME; where that is not set what the system says, or else the folder for
// temporary files.
std::filesystem::path home_folder();

// ${XDG_CACHE_HOME:-~/.cache}/systolic: what can be made or fetched again.
// As XDG has it, a relative path in the variable is ignored.
std::filesystem::path cache_folder();

// ${XDG_DATA_HOME:-~/.local/share}/systolic: what was installed.
std::filesystem::path data_folder();

}  // namespace systolic::internal
