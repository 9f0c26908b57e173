// The activations that have a name: one table.
//
//   for (std::string_view name : activations::names()) ...;
#pragma once

#include <span>
#include <string_view>

#include "systolic/graph/tensor.h"

namespace systolic::activations {

// An activation with its defaults.
using Function = Tensor (*)(const Tensor&);

// All names, "swish" and "hard_swish" included.
std::span<const std::string_view> names();

// The function of a name; null where there is none.
Function find(std::string_view name);

}  // namespace systolic::activations
