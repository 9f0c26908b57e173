#include "tools/planned_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "systolic/base/message.h"

extern char** environ;

namespace systolic::tools {
namespace {

namespace fs = std::filesystem;
using internal::Message;

// Lines of a program that failed which are shown.
constexpr size_t kMostLines = 12;

// A folder that goes with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name =
        (fs::temp_directory_path() / "systolic-plan-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      Message("plan")
          .expected("a folder for temporary files")
          .got(std::strerror(errno), " at ", name)
          .raise<NotFoundError>();
    }
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string file(const char* name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::string read(const std::string& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string last_lines(const std::string& text) {
  size_t from = text.size();
  for (size_t lines = 0; from > 0 && lines <= kMostLines; ++lines) {
    from = text.rfind('\n', from - 1);
    if (from == std::string::npos) return text;
  }
  return text.substr(from == 0 ? 0 : from + 1);
}

// This process's environment with other settings.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& settings) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    bool is_set = false;
    for (const auto& [other, value] : settings) is_set |= other == name;
    if (!is_set) all.push_back(text);
  }
  for (const auto& [name, value] : settings) {
    if (!value.empty()) all.push_back(name + "=" + value);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Runs a command with its output in a file, unless `path` is empty; returns
// what waitpid says.
int run(std::vector<std::string> command, std::vector<std::string> environment,
        const std::string& path) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!path.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, path.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  const std::vector<char*> arguments = pointers_to(command);
  const std::vector<char*> settings = pointers_to(environment);
  pid_t child = 0;
  const int error = posix_spawnp(&child, command[0].c_str(), &actions, nullptr,
                                 arguments.data(), settings.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    Message("plan")
        .expected("a program that can be run")
        .got("'", command[0], "': ", std::strerror(error))
        .raise<NotFoundError>();
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) {
    return "was ended by signal " + std::to_string(WTERMSIG(status));
  }
  return "ended with " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

PlannedProgram plan_program(const std::vector<std::string>& command,
                            const PlanPoint& point, bool shows_output) {
  const ScratchFolder scratch;
  const std::string log = shows_output ? "" : scratch.file("output");
  const std::string rows =
      point.batch_size > 0 ? std::to_string(point.batch_size) : "";
  const int status =
      run(command,
          environment_with({{"SYSTOLIC_PLAN", point.topology},
                            {"SYSTOLIC_PLAN_BATCH", rows},
                            {"SYSTOLIC_PLAN_OUTPUT", scratch.path()}}),
          log);
  PlannedProgram planned{.fits = WIFEXITED(status) && WEXITSTATUS(status) == 0,
                         .text = read(scratch.file("plan.txt")),
                         .json = read(scratch.file("plan.json"))};
  if (!planned.json.empty()) return planned;
  Message message("plan");
  message.rule("'", command[0], "' ", ending(status), " before it was planned")
      .hint(
          "a program is planned at its first step that reads and writes a "
          "trainable variable: fit, or strategy.run with an optimizer");
  if (!log.empty()) message.detail("it said", "\n", last_lines(read(log)));
  message.raise<Error>();
}

}  // namespace systolic::tools
