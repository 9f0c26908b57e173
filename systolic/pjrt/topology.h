// Devices that need not be here: compiling for a TPU on any machine.
//
//   Topology v3 = Topology::create(libtpu, "v3:2x2x1");
//   Executable program = v3.compile(text, encode({.num_replicas = 8}));
#pragma once

#include <string>
#include <vector>

#include "systolic/pjrt/device.h"
#include "systolic/pjrt/executable.h"
#include "systolic/pjrt/handle.h"
#include "systolic/pjrt/plugin.h"

namespace systolic::internal::pjrt {

// Owns one description of a set of devices.
class Topology : public Handle<abi::TopologyDescription> {
 public:
  // The plugin's topology of a name, "v3:2x2x1"; PlatformError UNIMPLEMENTED
  // where the plugin has none.
  static Topology create(const Plugin& plugin, const std::string& name,
                         const NamedValues& options = {});

  std::string platform_name() const;
  std::vector<DeviceDescription> devices() const;
  // Compiles a StableHLO text without a device.
  Executable compile(const std::string& text,
                     const std::string& encoded_options) const;

 private:
  using Handle::Handle;
};

}  // namespace systolic::internal::pjrt
