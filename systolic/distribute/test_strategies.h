// What the tests of strategies share.
#pragma once

#include <string>
#include <vector>

#include "systolic/distribute/one_device_strategy.h"
#include "systolic/distribute/strategy.h"
#include "systolic/runtime/counters.h"

namespace systolic::distribute {

/// Eight virtual cores, made ready once: variables live until it is done again.
inline const TPUStrategy& eight() {
  static const auto* strategy =
      new TPUStrategy(TPUClusterResolver::connect("virtual:v3-8"));
  return *strategy;
}

/// Replicas on virtual devices of the CPU.
inline MirroredStrategy mirrored(int replicas) {
  std::vector<std::string> names;
  for (int i = 0; i < replicas; ++i) {
    names.push_back("CPU:" + std::to_string(i));
  }
  return MirroredStrategy(names);
}

/// What `make` makes in a strategy's scope.
auto in_scope(const Strategy& strategy, const auto& make) {
  const auto scope = strategy.scope();
  return make();
}

inline uint64_t compiles() { return internal::runtime::counters().compiles; }

}  // namespace systolic::distribute
