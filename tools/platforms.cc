// Tested by: tools/command_platform_test.cc
#include <memory>
#include <ostream>
#include <string>

#include "systolic/base/out.h"
#include "systolic/platforms/report.h"
#include "tools/child.h"
#include "tools/command.h"

namespace systolic::tools {
namespace {

namespace platforms = internal::platforms;

constexpr int kTimeoutSeconds = 60;

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

}  // namespace

void add_platforms(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "platforms",
      "Which plugins are installed, where, with which versions and devices, "
      "and what to type for the rest");
  const auto name = std::make_shared<std::string>();
  command->add_option("name", *name, "Only this platform: cpu, tpu, cuda");
  command->callback([name] { show_all(*name); });
}

}  // namespace systolic::tools
