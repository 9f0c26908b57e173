// Tested by: tools/command_platform_test.cc
#include <memory>
#include <ostream>
#include <string>

#include "systolic/base/out.h"
#include "systolic/platforms/report.h"
#include "tools/check.h"
#include "tools/child.h"
#include "tools/command.h"

namespace systolic::tools {
namespace {

namespace platforms = internal::platforms;

constexpr int kTimeoutSeconds = 60;

struct Options {
  std::string name;
  bool check = false;
  bool again = false;
};

void show(const platforms::PlatformRow& row) {
  const ChildResult result = run_in_child(
      [&] { return platforms::to_text(platforms::make_report(row)); },
      kTimeoutSeconds);
  if (result.problem.empty()) {
    output() << result.text << "\n";
    return;
  }
  platforms::PlatformReport report;
  report.row = &row;
  report.search = platforms::search(row);
  report.problem = "the plugin " + result.problem + " while it was asked";
  output() << platforms::to_text(report) << "\n";
}

void show_all(const std::string& name) {
  if (!name.empty()) {
    show(platforms::find_row(name));
    return;
  }
  for (const platforms::PlatformRow& row : platforms::rows()) show(row);
}

void check_one_or_all(const std::string& name, bool again) {
  const bool passed = name.empty()
                          ? check_platforms(again)
                          : check_platform(platforms::find_row(name), again);
  if (!passed) throw CLI::RuntimeError(1);  // what is wrong has been said
}

}  // namespace

void add_platforms(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "platforms",
      "Which plugins are installed, where, with which versions and devices, "
      "and what to type for the rest");
  const auto options = std::make_shared<Options>();
  command->add_option("name", options->name,
                      "Only this platform: cpu, tpu, cuda");
  CLI::Option* check = command->add_flag(
      "--check", options->check,
      "Compares what the plugins compute with the host's own results, a line "
      "for each operation and dtype; a plugin is checked once, and refused "
      "from then on if it fails");
  command
      ->add_flag("--again", options->again,
                 "Checks again what was checked before")
      ->needs(check);
  command->callback([options] {
    if (options->check) {
      check_one_or_all(options->name, options->again);
    } else {
      show_all(options->name);
    }
  });
}

}  // namespace systolic::tools
