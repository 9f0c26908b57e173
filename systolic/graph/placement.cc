#include "systolic/graph/placement.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "systolic/base/message.h"

namespace systolic::internal::graph {

namespace {

thread_local const Placement* thread_placement = nullptr;
std::atomic<const Placement*> process_placement{nullptr};

}  // namespace

const Placement* Placement::intern(std::vector<runtime::Device> devices,
                                   bool replicated) {
  if (devices.empty()) {
    Message("placement")
        .expected("at least one device")
        .got("none")
        .raise<ValueError>();
  }
  for (const auto& device : devices) {
    if (device.client != devices.front().client) {
      Message("placement")
          .expected("devices of one platform")
          .got(devices.front().name(), " and ", device.name())
          .raise<ValueError>();
    }
  }
  static std::mutex mutex;
  static auto* all = new std::vector<std::unique_ptr<const Placement>>;
  const std::lock_guard lock(mutex);
  for (const auto& known : *all) {
    if (known->devices_ == devices && known->replicated_ == replicated) {
      return known.get();
    }
  }
  all->emplace_back(new Placement(std::move(devices), replicated));
  return all->back().get();
}

const Placement* Placement::single(const runtime::Device& device) {
  return intern({device}, false);
}

const Placement* Placement::replicas(std::vector<runtime::Device> devices) {
  // One replica is a plain program: nobody to talk to.
  const bool replicated = devices.size() > 1;
  return intern(std::move(devices), replicated);
}

const Placement* Placement::chosen() {
  if (thread_placement != nullptr) return thread_placement;
  return process_placement.load();
}

const Placement* Placement::host() {
  static const Placement* first = single(runtime::Client::open({}).device(0));
  return first;
}

const Placement* Placement::current_default() {
  const Placement* set = chosen();
  return set != nullptr ? set : host();
}

int Placement::find(const runtime::Device& device) const {
  const auto found = std::find(devices_.begin(), devices_.end(), device);
  return found == devices_.end() ? -1
                                 : static_cast<int>(found - devices_.begin());
}

PlacementGuard::PlacementGuard(const Placement* placement)
    : previous_(thread_placement) {
  thread_placement = placement;
}

PlacementGuard::~PlacementGuard() { thread_placement = previous_; }

void set_process_placement(const Placement* placement) {
  process_placement.store(placement);
}

}  // namespace systolic::internal::graph
