// The name of a C++ class as a user wrote it: for layers that do not say
// their class's name themselves.
//   class_text(typeid(*this));   // "Residual" for my::models::Residual
#pragma once

#include <string>
#include <string_view>
#include <typeinfo>

namespace systolic::internal {

// The class's name without namespaces, enclosing classes or template
// arguments.
std::string class_text(const std::type_info& type);

// The same for a name that is written out, "a::(anonymous namespace)::B<c>".
std::string last_name(std::string_view full);

}  // namespace systolic::internal
