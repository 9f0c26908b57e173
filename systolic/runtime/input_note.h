// Who is to blame when devices wait for input: the data set that is read says
// which of its stages is the slowest, and utilization() passes it on.
//   InputNote note([run] { return run->report().slowest_text(); });
#pragma once

#include <functional>
#include <string>

namespace systolic::internal::runtime {

/// Describes an input as long as it lives; its last words stay behind it.
class InputNote {
 public:
  /// `describe` may be called from any thread, one call at a time; an empty
  /// text says nothing. It must not make or end a note.
  explicit InputNote(std::function<std::string()> describe);
  ~InputNote();
  InputNote(const InputNote&) = delete;
  InputNote& operator=(const InputNote&) = delete;

 private:
  const std::function<std::string()> describe_;
};

/// What the note that was made last says; empty where there was none.
std::string input_note();

}  // namespace systolic::internal::runtime
