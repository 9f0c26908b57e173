#include "systolic/distribute/one_device_strategy.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/graph/device.h"
#include "systolic/platforms/search.h"
#include "systolic/platforms/table.h"

namespace systolic::distribute {

using internal::Message;
using internal::graph::Placement;
namespace graph = internal::graph;
namespace platforms = internal::platforms;
namespace runtime = internal::runtime;

namespace {

class NamedDevicesBase : public StrategyBase {
 public:
  NamedDevicesBase(std::string_view class_name, const Placement* placement)
      : StrategyBase(placement), class_name_(class_name) {
    graph::name_placement(placement, std::string(class_name));
  }
  std::string_view class_name() const override { return class_name_; }

 private:
  std::string_view class_name_;
};

constexpr std::string_view kGpu = "GPU";
constexpr std::string_view kCpu = "CPU";

// Opens the platforms of GPUs that are installed, so that they are listed.
void open_gpus() {
  if (!list_logical_devices(std::string(kGpu)).empty()) return;
  for (const platforms::PlatformRow& row : platforms::rows()) {
    if (row.device_type != kGpu || !platforms::search(row).found) continue;
    auto& client = runtime::Client::open({.platform = std::string(row.name)});
    graph::name_devices(client, "localhost", std::string(kGpu));
    return;
  }
}

// The number of a name such as "CPU:3" or "/device:CPU:3".
std::optional<int> number_of(std::string_view name, std::string_view type) {
  const size_t at = name.rfind(':');
  if (at == name.npos || !name.substr(0, at).ends_with(type)) return {};
  int number = -1;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + at + 1, end, number);
  if (error != std::errc() || stop != end || number < 0) return {};
  return number;
}

void check_names(const std::vector<std::string>& names) {
  if (names.empty()) {
    Message("MirroredStrategy")
        .expected("at least one device")
        .got("none")
        .raise<ValueError>();
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + i, names[i]) ==
        names.begin() + i) {
      continue;
    }
    Message("MirroredStrategy")
        .expected("devices that differ")
        .got("\"", names[i], "\" twice")
        .raise<ValueError>();
  }
}

std::vector<runtime::Device> devices_of(const std::vector<std::string>& names) {
  std::vector<runtime::Device> devices;
  int highest = 0;
  for (const std::string& name : names) {
    if (number_of(name, kGpu)) open_gpus();
    highest = std::max(highest, number_of(name, kCpu).value_or(-1));
  }
  for (const std::string& name : names) {
    const std::optional<int> cpu = number_of(name, kCpu);
    if (cpu && highest > 0) {
      // One processor, shown as several devices.
      auto& client = runtime::Client::open({.device_count = highest + 1});
      devices.push_back(client.device(*cpu));
      continue;
    }
    devices.push_back(Device(name).runtime_device());
  }
  return devices;
}

std::vector<std::string> default_names() {
  open_gpus();
  std::vector<std::string> names;
  for (const LogicalDevice& gpu : list_logical_devices(std::string(kGpu))) {
    names.push_back(gpu.name);
  }
  if (names.empty()) {
    log(LogLevel::warning,
        "MirroredStrategy: this host has no GPU; there is one replica, on its "
        "CPU");
    names.emplace_back("/CPU:0");
  }
  return names;
}

const Placement* mirrored(const std::vector<std::string>& names) {
  check_names(names);
  return Placement::replicas(devices_of(names));
}

}  // namespace

OneDeviceStrategy::OneDeviceStrategy(const std::string& device)
    : Strategy(std::make_shared<NamedDevicesBase>(
          "OneDeviceStrategy",
          Placement::single(devices_of({device}).front()))) {}

MirroredStrategy::MirroredStrategy() : MirroredStrategy(default_names()) {}

MirroredStrategy::MirroredStrategy(const std::vector<std::string>& devices)
    : Strategy(std::make_shared<NamedDevicesBase>("MirroredStrategy",
                                                  mirrored(devices))) {}

}  // namespace systolic::distribute
