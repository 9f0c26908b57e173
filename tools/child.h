// Runs a function in a child process, so that a plugin that hangs or ends the
// process does not take the command with it.
//
//   ChildResult result = run_in_child([] { return describe(); }, 30);
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace systolic::tools {

// What a child said, or what became of it.
struct ChildResult {
  std::string text;
  // Empty if all went well; else "took longer than 30 s", "ended by signal 6".
  std::string problem;
  // The signal that ended it; 0 if none did, or we did for the time's sake.
  int signal = 0;
};

// Forks, runs `describe` in the child and gives back its text. Must be called
// before this process has threads.
ChildResult run_in_child(const std::function<std::string()>& describe,
                         int timeout_seconds);

// Takes a piece of text.
using Say = std::function<void(std::string_view)>;

// The same for work that says what it does as it goes: what the child says is
// given to `hear` at once, and is the result's text as well.
ChildResult run_in_child(const std::function<void(const Say&)>& work,
                         const Say& hear, int timeout_seconds);

}  // namespace systolic::tools
