#include "systolic/base/out.h"

#include <unistd.h>

#include <atomic>
#include <iostream>

namespace systolic {
namespace {

std::atomic<std::ostream*> current{nullptr};

}  // namespace

std::ostream& output() {
  std::ostream* stream = current.load();
  return stream != nullptr ? *stream : std::cout;
}

std::ostream* set_output(std::ostream* stream) {
  return current.exchange(stream);
}

bool output_is_terminal() {
  return current.load() == nullptr && isatty(STDOUT_FILENO) != 0;
}

}  // namespace systolic
