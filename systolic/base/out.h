// Where text for the user goes: progress bars, model summaries.
//   std::ostringstream text;
//   OutputGuard guard(text);     // summary() now writes there
// The default is std::cout.
#pragma once

#include <iosfwd>

namespace systolic {

// The stream that progress and summaries are written to.
std::ostream& output();

// Sends user-facing text to `stream`, which must outlive its use; nullptr
// brings std::cout back. Returns the stream before, nullptr for the default.
std::ostream* set_output(std::ostream* stream);

// Whether that text is seen on a terminal, where lines can be redrawn.
bool output_is_terminal();

// Sends user-facing text to a stream for as long as the guard lives.
class OutputGuard {
 public:
  explicit OutputGuard(std::ostream& stream) : before_(set_output(&stream)) {}
  ~OutputGuard() { set_output(before_); }
  OutputGuard(const OutputGuard&) = delete;
  OutputGuard& operator=(const OutputGuard&) = delete;

 private:
  std::ostream* before_;
};

}  // namespace systolic
