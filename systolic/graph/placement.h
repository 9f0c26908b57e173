// Placement: the devices that a value or a program is on.
//
//   const Placement* one = Placement::single(client.device(0));
//   const Placement* all = Placement::replicas(client.devices());
//
// Interned: two placements of the same devices are the same pointer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systolic/runtime/client.h"
#include "systolic/runtime/device.h"

namespace systolic::internal::graph {

class Placement {
 public:
  /// One device; its programs are compiled portable.
  static const Placement* single(const runtime::Device& device);

  /// One replica per device; the devices belong to one client.
  static const Placement* replicas(std::vector<runtime::Device> devices);

  /// Where eager operations of this thread go.
  static const Placement* current_default();

  /// What current_default() gives, or null where nobody has set one: then it
  /// is the host, which is not opened before it is needed.
  static const Placement* chosen();

  /// This machine's own CPU.
  static const Placement* host();

  const std::vector<runtime::Device>& devices() const { return devices_; }
  int num_replicas() const { return static_cast<int>(devices_.size()); }
  runtime::Client& client() const { return *devices_.front().client; }

  /// Whether programs run as replicas that can talk to each other.
  bool is_replicated() const { return replicated_; }

  /// The replica whose device this is, or -1.
  int find(const runtime::Device& device) const;

 private:
  Placement(std::vector<runtime::Device> devices, bool replicated)
      : devices_(std::move(devices)), replicated_(replicated) {}

  static const Placement* intern(std::vector<runtime::Device> devices,
                                 bool replicated);

  std::vector<runtime::Device> devices_;
  bool replicated_;
};

/// Makes `placement` the default of this thread until the guard goes.
class PlacementGuard {
 public:
  explicit PlacementGuard(const Placement* placement);
  ~PlacementGuard();
  PlacementGuard(const PlacementGuard&) = delete;
  PlacementGuard& operator=(const PlacementGuard&) = delete;

 private:
  const Placement* previous_;
};

/// The default of threads that have set none (after connect: the first core).
void set_process_placement(const Placement* placement);

}  // namespace systolic::internal::graph
