#include "systolic/base/choice.h"

#include "systolic/base/message.h"
#include "systolic/base/suggest.h"

namespace systolic::internal {

void throw_no_choice(std::string_view what, std::string_view text,
                     std::span<const std::string_view> names,
                     const SourceLocation& where) {
  Message message{std::string(what)};
  message.expected(list_names(names)).got("'", text, "'");
  const std::string_view nearest = closest_name(text, names);
  if (!nearest.empty()) message.hint("did you mean '", nearest, "'?");
  message.at(where).raise<ValueError>();
}

}  // namespace systolic::internal
