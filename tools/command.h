// The subcommands of `systolic`: one file each, and a line in the table of
// main.cc. A subcommand reads its flags and calls the library.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace systolic::tools {

// Each adds its subcommand with flags and help; running it throws the
// library's errors, which main prints.
void add_platforms(CLI::App& app);
void add_devices(CLI::App& app);
void add_cache(CLI::App& app);
void add_plan(CLI::App& app);
void add_records(CLI::App& app);

// What to print where a subcommand is missing or unknown, with those that
// there are; empty where the line that `app` parsed has them all.
std::string wrong_subcommand(const CLI::App& app);

}  // namespace systolic::tools
