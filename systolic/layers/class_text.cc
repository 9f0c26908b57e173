#include "systolic/layers/class_text.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace systolic::internal {

std::string last_name(std::string_view full) {
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < full.size(); ++i) {
    const char c = full[i];
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (depth == 0 && c == ':') start = i + 1;
  }
  const std::string_view name = full.substr(start);
  return std::string(name.substr(0, name.find('<')));
}

std::string class_text(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  return last_name(status == 0 ? text.get() : type.name());
}

}  // namespace systolic::internal
