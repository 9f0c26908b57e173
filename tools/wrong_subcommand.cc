#include "systolic/base/message.h"
#include "tools/command.h"

namespace systolic::tools {

std::string wrong_subcommand(const CLI::App& app) {
  const CLI::App* last = &app;
  std::string line = app.get_name();
  while (!last->get_subcommands().empty()) {
    last = last->get_subcommands().front();
    line += (line.empty() ? "" : " ") + last->get_name();
  }
  std::string known;
  for (const CLI::App* command :
       last->get_subcommands([](const CLI::App*) { return true; })) {
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  if (known.empty()) return {};
  const std::vector<std::string> rest = app.remaining(true);
  internal::Message message(line);
  message.expected("one of ", known);
  if (rest.empty()) {
    message.got("nothing");
  } else {
    message.got('"', rest.front(), '"');
  }
  return message.hint('`', line, " --help` says what they do").str();
}

}  // namespace systolic::tools
