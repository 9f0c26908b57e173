#include "systolic/base/null.h"

#include <string>

#include "systolic/base/message.h"

namespace systolic::internal {

std::string_view name_text(const char* name, std::string_view what,
                           const SourceLocation& where) {
  if (name != nullptr) return name;
  Message message{std::string(what)};
  message.expected("a name")
      .got("a null pointer")
      .hint("leave it out for the default");
  if (where.line() > 0) message.at(where);
  message.raise<ValueError>();
}

void raise_null_function(std::string_view who) {
  Message(std::string(who))
      .expected("a function")
      .got("an empty one (a null pointer or std::function())")
      .raise<ValueError>();
}

}  // namespace systolic::internal
