// NamedValues to and from the C API's structs, for this room.
#pragma once

#include <span>
#include <vector>

#include "systolic/pjrt/abi.h"
#include "systolic/pjrt/named_value.h"

namespace systolic::internal::pjrt {

// The structs, which point into `values`.
std::vector<abi::NamedValue> to_abi(const NamedValues& values);

// Copies of what the plugin keeps.
NamedValues from_abi(std::span<const abi::NamedValue> values);

}  // namespace systolic::internal::pjrt
