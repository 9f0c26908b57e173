#include "systolic/graph/placement.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

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

const Placement* Placement::current_default() {
  if (thread_placement != nullptr) return thread_placement;
  if (const Placement* set = process_placement.load()) return set;
  static const Placement* first = single(runtime::Client::open({}).device(0));
  return first;
}

int Placement::find(const runtime::Device& device) const {
  const auto found = std::find(devices_.begin(), devices_.end(), device);
  return found == devices_.end() ? -1
                                 : static_cast<int>(found - devices_.begin());
}

namespace {

struct Names {
  std::mutex mutex;
  std::map<const runtime::Client*, std::pair<std::string, std::string>> map;
};

Names& names() {
  static auto* all = new Names;
  return *all;
}

}  // namespace

std::string device_name(const runtime::Device& device) {
  std::string job = "localhost";
  std::string type = device.client->platform();
  for (char& c : type) c = static_cast<char>(std::toupper(c));
  {
    const std::lock_guard lock(names().mutex);
    const auto found = names().map.find(device.client);
    if (found != names().map.end()) std::tie(job, type) = found->second;
  }
  return "/job:" + job + "/replica:0/task:0/device:" + type + ":" +
         std::to_string(device.index);
}

void name_devices(const runtime::Client& client, std::string job,
                  std::string type) {
  const std::lock_guard lock(names().mutex);
  names().map[&client] = {std::move(job), std::move(type)};
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
