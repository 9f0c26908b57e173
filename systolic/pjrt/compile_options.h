// How a program is compiled, in the serialized form that plugins take
// (XLA's CompileOptionsProto).
//
//   encode({.num_replicas = 8, .device_ids = {0, 1, 2, 3, 4, 5, 6, 7}});
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace systolic::internal::pjrt {

// A compiler option by the plugin's name for it, for one compilation.
using OptionOverride =
    std::pair<std::string, std::variant<std::string, bool, int64_t, double>>;

// The options that are used.
struct CompileOptions {
  int num_replicas = 1;
  // The plugin's id of each replica's device; empty: the plugin chooses.
  std::vector<int64_t> device_ids = {};
  // One replica, placed at each launch.
  bool portable = false;
  std::vector<OptionOverride> overrides = {};
};

// The serialized options. Throws InternalError for replicas without sense.
std::string encode(const CompileOptions& options);

}  // namespace systolic::internal::pjrt
