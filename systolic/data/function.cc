#include "systolic/data/function.h"

#include "systolic/base/message.h"

namespace systolic::data::detail {
namespace {

bool single_fits(const ElementSpec& parameter, const ElementSpec& structure) {
  if (parameter.is_compatible_with(structure)) return true;
  return structure.kind() == ElementKind::tuple &&
         structure.items().size() == 1 &&
         parameter.is_compatible_with(structure.items()[0]);
}

std::string count_text(size_t count) {
  return std::to_string(count) + (count == 1 ? " parameter" : " parameters");
}

[[noreturn]] void throw_arity(const std::string& who, size_t expected,
                              size_t got, const ElementSpec& structure) {
  internal::Message message(who);
  message.expected("a function of ", count_text(expected))
      .got("one of ", got)
      .detail("element", structure);
  if (structure.kind() == ElementKind::tuple) {
    message.hint("each item of a tuple is a parameter of its own");
  } else if (structure.kind() == ElementKind::dict) {
    message.hint("a dict is one parameter: std::map<std::string, Array>");
  } else {
    message.hint("an element that is an Array is one parameter");
  }
  message.raise<TypeError>();
}

}  // namespace

void check_parameters(const std::string& who,
                      const std::vector<ElementSpec>& parameters,
                      const ElementSpec& structure) {
  if (structure.kind() == ElementKind::unknown) return;
  const size_t got = parameters.size();
  if (got == 1 && single_fits(parameters[0], structure)) return;
  const size_t expected =
      structure.kind() == ElementKind::tuple ? structure.items().size() : 1;
  if (got != expected) throw_arity(who, expected, got, structure);
  for (size_t i = 0; i < got; ++i) {
    const ElementSpec& item = structure.kind() == ElementKind::tuple
                                  ? structure.items()[i]
                                  : structure;
    if (parameters[i].is_compatible_with(item)) continue;
    internal::Message(who)
        .expected("parameter ", i, " to take ", item)
        .got("one that takes ", parameters[i])
        .detail("element", structure)
        .hint("data::Element takes a part of any kind")
        .raise<TypeError>();
  }
}

}  // namespace systolic::data::detail
