// Runs a function in a child process, so that a plugin that hangs or ends the
// process does not take the command with it.
//
//   ChildResult result = run_in_child([] { return describe(); }, 30);
#pragma once

#include <functional>
#include <string>

namespace systolic::tools {

// What a child said, or what became of it.
struct ChildResult {
  std::string text;
  // Empty if all went well; else "took longer than 30 s", "ended by signal 6".
  std::string problem;
};

// Forks, runs `describe` in the child and gives back its text. Must be called
// before this process has threads.
ChildResult run_in_child(const std::function<std::string()>& describe,
                         int timeout_seconds);

}  // namespace systolic::tools
