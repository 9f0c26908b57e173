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

// What the parameters of a function are: a tuple's items, or the element.
std::vector<ElementSpec> parts(const ElementSpec& structure) {
  if (structure.kind() == ElementKind::tuple) return structure.items();
  return {structure};
}

bool fits(const std::vector<ElementSpec>& parameters,
          const ElementSpec& structure) {
  if (structure.kind() == ElementKind::unknown) return true;
  if (parameters.size() == 1 && single_fits(parameters[0], structure)) {
    return true;
  }
  const std::vector<ElementSpec> items = parts(structure);
  if (items.size() != parameters.size()) return false;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!parameters[i].is_compatible_with(items[i])) return false;
  }
  return true;
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
  const std::vector<ElementSpec> items = parts(structure);
  if (fits(parameters, structure)) return;
  if (items.size() != parameters.size()) {
    throw_arity(who, items.size(), parameters.size(), structure);
  }
  for (size_t i = 0; i < items.size(); ++i) {
    if (parameters[i].is_compatible_with(items[i])) continue;
    internal::Message(who)
        .expected("parameter ", i, " to take ", items[i])
        .got("one that takes ", parameters[i])
        .detail("element", structure)
        .hint("data::Element takes a part of any kind")
        .raise<TypeError>();
  }
}

void check_types(const std::vector<ElementSpec>& types,
                 const ElementSpec& structure) {
  if (fits(types, structure)) return;
  std::string list;
  for (const ElementSpec& type : types) {
    list += (list.empty() ? "" : ", ") + type.to_string();
  }
  internal::Message("as")
      .expected("one type for each item of the element")
      .got("<", list, ">")
      .detail("element", structure)
      .raise<TypeError>();
}

}  // namespace systolic::data::detail
