// What the tests of layers read out of recorded options.
#pragma once

#include <vector>

#include "systolic/layers/layers.h"
#include "systolic/testing/golden.h"

namespace systolic::layers {

// A number or a pair; unset where it is absent.
inline Extent2D extent(const golden::Value& options, std::string_view key,
                       std::vector<int64_t> absent = {}) {
  const std::vector<int64_t> sizes = options.get(key, std::move(absent));
  if (sizes.empty()) return {};
  return sizes.size() == 1 ? Extent2D(sizes[0]) : Extent2D(sizes[0], sizes[1]);
}

inline std::vector<int> axes(const golden::Value& options, std::string_view key,
                             std::vector<int64_t> absent) {
  const std::vector<int64_t> all = options.get(key, std::move(absent));
  return {all.begin(), all.end()};
}

inline DTypePolicy dtype(const golden::Value& options) {
  return options.get("dtype", "float32");
}

}  // namespace systolic::layers
