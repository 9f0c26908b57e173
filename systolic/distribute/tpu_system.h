// The TPU that a resolver found, and the one that is initialised.
// Inside of the room distribute.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "systolic/distribute/tpu_cluster_resolver.h"
#include "systolic/platforms/tpu_topology.h"
#include "systolic/runtime/client.h"

namespace systolic::distribute {

struct TPUClusterResolver::State {
  std::string name;
  internal::runtime::PlatformRequest request;
  /// What a virtual TPU rehearses.
  std::optional<internal::platforms::TpuSlice> slice;
  internal::runtime::Client* client = nullptr;
  bool initialised = false;
};

/// The system that initialize_tpu_system made ready last; null if none.
std::shared_ptr<TPUClusterResolver::State> initialised_system();

}  // namespace systolic::distribute
