// The command `systolic`.
#include <exception>
#include <iostream>
#include <string>

#include "tools/command.h"

namespace systolic::tools {
namespace {

constexpr void (*kCommands[])(CLI::App&) = {
    &add_platforms, &add_devices, &add_cache, &add_plan, &add_records,
};

int run(int argc, char** argv) {
  CLI::App app{"Systolic: Keras, tf.data and TPUStrategy for C++", "systolic"};
  app.require_subcommand(1);
  for (const auto& add : kCommands) add(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    const std::string text = wrong_subcommand(app);
    if (text.empty()) return app.exit(error);
    std::cerr << text << "\n";
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace systolic::tools

int main(int argc, char** argv) { return systolic::tools::run(argc, argv); }
