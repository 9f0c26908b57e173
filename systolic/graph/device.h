// Devices by name, and where eager operations run.
//
//   std::cout << list_logical_devices("TPU");
//   {
//     auto on_tpu = device("/TPU:1");       // scope: until it goes
//     Tensor c = matmul(a, b);              // operands are copied there
//   }
//
// Names: full (`/job:localhost/replica:0/task:0/device:TPU:1`) or a part of
// it that is no other's: "/TPU:1", "TPU:1", "/device:TPU:1".
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/graph/placement.h"

namespace systolic {

/// A device as programs see it.
struct LogicalDevice {
  std::string name;
  std::string device_type;
  bool operator==(const LogicalDevice&) const = default;
};

/// The devices of a type ("CPU", "TPU", "GPU"; empty: all) that a program can
/// use. A TPU's are known once initialize_tpu_system has made it ready.
std::vector<LogicalDevice> list_logical_devices(
    const std::string& device_type = "");

/// Prints `[LogicalDevice(name='...', device_type='TPU'), ...]`.
std::ostream& operator<<(std::ostream& out,
                         const std::vector<LogicalDevice>& devices);
std::ostream& operator<<(std::ostream& out, const LogicalDevice& device);

/// One of the devices there are; a value.
class Device {
 public:
  /// The device of a name. Throws ValueError that lists the devices there
  /// are, for a name that is none's.
  Device(std::string_view name,
         SourceLocation where = SourceLocation::current());
  Device(const char* name, SourceLocation where = SourceLocation::current())
      : Device(std::string_view(name), where) {}
  Device(const std::string& name,
         SourceLocation where = SourceLocation::current())
      : Device(std::string_view(name), where) {}
  /// A device that list_logical_devices gave.
  Device(const LogicalDevice& device,
         SourceLocation where = SourceLocation::current())
      : Device(std::string_view(device.name), where) {}

  /// The full name.
  const std::string& name() const { return known_.name; }
  /// "CPU", "TPU" or "GPU".
  const std::string& device_type() const { return known_.device_type; }

  bool operator==(const Device&) const = default;

  /// For the graph.
  const internal::runtime::Device& runtime_device() const { return device_; }
  const SourceLocation& where() const { return where_.location; }

 private:
  // Where it was named is no part of what it is.
  struct Place {
    SourceLocation location;
    bool operator==(const Place&) const { return true; }
  };

  LogicalDevice known_;
  internal::runtime::Device device_;
  Place where_;
};

/// Prints the full name.
std::ostream& operator<<(std::ostream& out, const Device& device);

/// Keeps eager operations and new Variables of this thread on a device until
/// it goes; scopes end in the reverse of their order.
class [[nodiscard]] DeviceScope {
 public:
  /// Throws ValueError inside a step that runs elsewhere: its devices were
  /// chosen when it began.
  explicit DeviceScope(const Device& device);

 private:
  internal::graph::PlacementGuard guard_;
};

/// `auto on_tpu = device("/TPU:0");`
[[nodiscard]] DeviceScope device(const Device& device);

}  // namespace systolic

namespace systolic::internal::graph {

/// Full name of a device: `/job:localhost/replica:0/task:0/device:CPU:0`.
std::string device_name(const runtime::Device& device);

/// What messages call the programs on a placement: its strategy's class.
void name_placement(const Placement* placement, std::string name);

/// A placement for messages: `TPUStrategy (8 replicas, /job:... to /job:...)`.
std::string describe(const Placement& placement);

/// What the devices of a client are called from now on (job `worker`, type
/// `TPU`); they take the place of those of that type in the list of devices.
void name_devices(runtime::Client& client, std::string job, std::string type);

}  // namespace systolic::internal::graph
