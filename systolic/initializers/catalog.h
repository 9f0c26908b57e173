// The initializers that have a name: one table.
//
//   for (std::string_view name : initializers::names()) ...;
#pragma once

#include <span>
#include <string_view>

#include "systolic/initializers/initializer.h"

namespace systolic::initializers {

// Makes an initializer with Keras's defaults.
using MakeInitializer = Initializer (*)();

// The names in snake case, such as "glorot_uniform".
std::span<const std::string_view> names();

// The maker of a name: snake case, class name or Keras's short form.
// Throws: ValueError that lists the names and the nearest one.
MakeInitializer find(std::string_view name, const SourceLocation& where);

// The class name that a maker of this table stands for.
std::string_view name_of(MakeInitializer make);

}  // namespace systolic::initializers
