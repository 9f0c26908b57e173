#include "systolic/pjrt/topology.h"

#include "systolic/pjrt/call.h"
#include "systolic/pjrt/named_value_abi.h"
#include "systolic/pjrt/program.h"

namespace systolic::internal::pjrt {

Topology Topology::create(const Plugin& plugin, const std::string& name,
                          const NamedValues& options) {
  const std::vector<abi::NamedValue> structs = to_abi(options);
  Padded<abi::TopologyCreateArgs> args;
  args->topology_name = name.data();
  args->topology_name_size = name.size();
  args->create_options = structs.data();
  args->num_options = structs.size();
  call(plugin.api(), kTopologyCreate, args);
  return Topology(plugin.api(), given(args->topology, kTopologyCreate.name));
}

std::string Topology::platform_name() const {
  return get_text(api(), kTopologyPlatformName, raw());
}

std::vector<DeviceDescription> Topology::devices() const {
  Padded<abi::ListArgs<abi::TopologyDescription, abi::DeviceDescription*>> args;
  args->noun = raw();
  call(api(), kTopologyDevices, args);
  std::vector<DeviceDescription> devices;
  devices.reserve(args->count);
  for (size_t i = 0; i < args->count; ++i) {
    devices.emplace_back(api(), args->items[i]);
  }
  return devices;
}

Executable Topology::compile(const std::string& text,
                             const std::string& encoded_options) const {
  const abi::Program program = make_program(text);
  Padded<abi::CompileArgs> args;
  args->topology = raw();
  args->program = &program;
  args->compile_options = encoded_options.data();
  args->compile_options_size = encoded_options.size();
  call(api(), kCompile, args);
  return Executable(api(), given(args->executable, kCompile.name));
}

}  // namespace systolic::internal::pjrt
