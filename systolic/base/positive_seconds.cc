#include "systolic/base/positive_seconds.h"

#include <cmath>
#include <cstdlib>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/message.h"

namespace systolic::internal {

double positive_seconds(std::string variable, const std::string& text,
                        std::string_view others) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !std::isfinite(seconds) ||
      seconds <= 0) {
    Message(std::move(variable))
        .expected("a number of seconds above 0", others)
        .got('"', text, '"')
        .raise<ValueError>();
  }
  return seconds;
}

}  // namespace systolic::internal
