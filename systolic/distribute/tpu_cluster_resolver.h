// TPUClusterResolver: finds the TPU of a program.
//
//   distribute::TPUClusterResolver resolver("virtual:v3-8");
//   distribute::connect_to_cluster(resolver);
//   distribute::initialize_tpu_system(resolver);
//
// Names: "" looks in the environment (SYSTOLIC_TPU, TPU_NAME) and then for a
// TPU of this host; "local" is this host's TPU; "virtual:v3-8" is eight cores
// rehearsed on this machine's CPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "systolic/graph/device.h"

namespace systolic::distribute {

/// What a TPU system is made of.
struct TPUSystemMetadata {
  int num_cores = 0;
  int num_hosts = 0;
  int num_of_cores_per_host = 0;
  /// Such as "v3-8"; empty where the platform does not say.
  std::string topology;
};

class TPUClusterResolver {
 public:
  /// Finds the TPU called `tpu`. Throws ValueError that lists every place
  /// looked at where there is none, and for a name that is no TPU's.
  explicit TPUClusterResolver(std::string tpu = "");

  /// Finds, connects and initialises in one call.
  static TPUClusterResolver connect(std::string tpu = "");

  /// The name it was found by: "virtual:v3-8", "local".
  const std::string& master() const;

  /// Opens the platform, and says what it has.
  TPUSystemMetadata get_tpu_system_metadata() const;

  struct State;
  /// For this room.
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

/// Opens the platform of the resolver. Throws PlatformError where its plugin
/// can not be loaded.
void connect_to_cluster(const TPUClusterResolver& resolver);

/// Makes the system ready and logs what it has; from then on eager ops run
/// on its first core. May be called again: that frees the memory of all
/// Variables on it, and using one of them throws ValueError.
TPUSystemMetadata initialize_tpu_system(const TPUClusterResolver& resolver);

}  // namespace systolic::distribute
