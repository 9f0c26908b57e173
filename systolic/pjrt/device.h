// A PJRT device, and its description, which exists without the device too.
//
//   for (const Device& device : client.devices()) {
//     std::cout << device.description().kind() << "\n";
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systolic/pjrt/abi_fwd.h"
#include "systolic/pjrt/memory.h"
#include "systolic/pjrt/named_value.h"

namespace systolic::internal::pjrt {

// What a device is; a view, valid as long as its client or topology.
class DeviceDescription {
 public:
  DeviceDescription(const abi::Api* api, abi::DeviceDescription* raw)
      : api_(api), raw_(raw) {}

  // The number that device assignments name.
  int id() const;
  // "cpu", "TPU v3", "NVIDIA H100".
  std::string kind() const;
  // The plugin's own short text.
  std::string to_string() const;
  // What else the plugin says: "coords", "core_on_chip".
  NamedValues attributes() const;

 private:
  const abi::Api* api_;
  abi::DeviceDescription* raw_;
};

// Bytes of a device's memory; what the plugin does not say is unset.
struct DeviceMemory {
  int64_t bytes_in_use = 0;
  std::optional<int64_t> peak_bytes_in_use = {};
  std::optional<int64_t> bytes_limit = {};
};

// A device of this process; a view, valid as long as its client.
class Device {
 public:
  Device(const abi::Api* api, abi::Device* raw) : api_(api), raw_(raw) {}

  DeviceDescription description() const;
  // The memory that buffers lie in by default.
  Memory memory() const;
  // Memory figures; nothing where the plugin does not say.
  std::optional<DeviceMemory> memory_stats() const;
  abi::Device* raw() const { return raw_; }

 private:
  const abi::Api* api_;
  abi::Device* raw_;
};

}  // namespace systolic::internal::pjrt
