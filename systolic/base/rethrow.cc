#include "systolic/base/rethrow.h"

#include <exception>
#include <string>
#include <typeinfo>

#include "systolic/base/error.h"
#include "systolic/base/message.h"

namespace systolic::internal {
namespace {

// Whether it is exactly an E, alone or with another one nested in it: a
// subclass of somebody else's would lose what it holds.
template <class E>
bool is_exactly(const Error& error) {
  return typeid(error) == typeid(E) ||
         (dynamic_cast<const E*>(&error) != nullptr &&
          dynamic_cast<const std::nested_exception*>(&error) != nullptr);
}

// Throws `error` with another text as the first of Es that it is.
template <class... Es>
void throw_as(const Error& error, const std::string& text) {
  (
      [&] {
        if (is_exactly<Es>(error)) std::throw_with_nested(Es(text));
      }(),
      ...);
}

}  // namespace

void rethrow_with(std::string_view line) {
  try {
    throw;
  } catch (const Error& error) {
    const std::string text =
        std::string(error.what()) + "\n" + std::string(line);
    if (is_exactly<PlatformError>(error)) {
      const auto& platform = dynamic_cast<const PlatformError&>(error);
      std::throw_with_nested(
          PlatformError(text, platform.call(), platform.code()));
    }
    throw_as<ShapeError, ValueError, TypeError, NotFoundError, DataError,
             OutOfRangeError>(error, text);
    if (typeid(error) == typeid(Error)) std::throw_with_nested(Error(text));
    throw;
  }
}

void rethrow_at(const CallSite& site) {
  const std::string line = Message("").at(site.where()).str();
  if (line.empty()) throw;
  rethrow_with(std::string_view(line).substr(1));  // without its newline
}

std::string steps_text(int64_t first, int64_t last) {
  if (first == last) return concatenate_text(", step ", first);
  return concatenate_text(", steps ", first, " to ", last);
}

}  // namespace systolic::internal
