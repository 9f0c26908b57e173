// The subcommands of `systolic`: one file each, and a line in the table of
// main.cc. A subcommand reads its flags and calls the library.
#pragma once

#include <CLI/CLI.hpp>

namespace systolic::tools {

// Each adds its subcommand with flags and help; running it throws the
// library's errors, which main prints.
void add_platforms(CLI::App& app);
void add_devices(CLI::App& app);
void add_cache(CLI::App& app);
void add_plan(CLI::App& app);
void add_records(CLI::App& app);

}  // namespace systolic::tools
