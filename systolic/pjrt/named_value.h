// Options to a plugin and attributes from it: names with values.
//
//   NamedValues options{{"cpu_device_count", int64_t{8}}};
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "systolic/pjrt/abi_fwd.h"

namespace systolic::internal::pjrt {

// A value as the C API passes it.
using Value =
    std::variant<std::string, int64_t, std::vector<int64_t>, float, bool>;

// Names with values, in the order given.
using NamedValues = std::vector<std::pair<std::string, Value>>;

// "8", "[1, 2]", "true" or the text itself.
std::string to_text(const Value& value);

// The value of a name, or null.
const Value* find(const NamedValues& values, const std::string& name);

}  // namespace systolic::internal::pjrt
