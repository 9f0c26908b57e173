// Tested by: tools/cache_test.cc
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <string>

#include "systolic/base/out.h"
#include "systolic/runtime/kept_program.h"
#include "tools/command.h"

namespace systolic::tools {
namespace {

namespace runtime = internal::runtime;

std::string size_text(uint64_t bytes) {
  constexpr double kStep = 1024;
  auto size = static_cast<double>(bytes);
  if (size < kStep) return fmt::format("{} B", bytes);
  for (const char* unit : {"KiB", "MiB"}) {
    size /= kStep;
    if (size < kStep) return fmt::format("{:.1f} {}", size, unit);
  }
  return fmt::format("{:.1f} GiB", size / kStep);
}

// "3 d": how long ago a moment was, in its largest unit.
std::string age_text(int64_t moment) {
  const int64_t now = std::chrono::duration_cast<std::chrono::seconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
  const int64_t seconds = std::max<int64_t>(now - moment, 0);
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min", seconds / 60);
  if (seconds < 86400) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} d", seconds / 86400);
}

void say_off() {
  output() << "The program cache is off: SYSTOLIC_CACHE says so.\n";
}

std::string count_text(uint64_t programs) {
  return fmt::format("{} program{}", programs, programs == 1 ? "" : "s");
}

void list() {
  const auto files = runtime::program_files();
  if (!files) return say_off();
  const auto programs = files->list();
  uint64_t bytes = 0;
  if (!programs.empty()) {
    output() << fmt::format("{:>10}  {:>7}  {:>8}  {:8}  {}\n", "size", "made",
                            "last use", "platform", "program");
  }
  for (const runtime::ProgramFile& program : programs) {
    bytes += program.bytes;
    const bool is_whole = program.info.made != 0;
    output() << fmt::format(
        "{:>10}  {:>7}  {:>8}  {:8}  {}\n", size_text(program.bytes),
        is_whole ? age_text(program.info.made) : "?",
        age_text(program.last_use), is_whole ? program.info.platform : "?",
        is_whole ? program.info.name : "damaged");
  }
  output() << fmt::format("{}, {} in {}\n", count_text(programs.size()),
                          size_text(bytes), files->folder().string());
}

void clear() {
  const auto files = runtime::program_files();
  if (!files) return say_off();
  const runtime::RemovedFiles removed = files->clear();
  output() << fmt::format("removed {}, {} from {}\n", count_text(removed.files),
                          size_text(removed.bytes), files->folder().string());
}

}  // namespace

void add_cache(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "cache",
      "The compiled programs kept on disk (SYSTOLIC_CACHE names the folder)");
  command->require_subcommand(1);
  command
      ->add_subcommand("ls",
                       "A line for each program, the last used first: its "
                       "size, how long ago it was made and used, what for")
      ->callback(&list);
  command
      ->add_subcommand("clear",
                       "Removes all programs; they are compiled again when "
                       "they are needed")
      ->callback(&clear);
}

}  // namespace systolic::tools
