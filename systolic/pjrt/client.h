// A PJRT client: one connection to a platform's devices.
//
//   Client client = Client::create(plugin, {{"cpu_device_count", int64_t{8}}});
//   LoadedExecutable program = client.compile(text, encode({}));
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "systolic/array/spec.h"
#include "systolic/pjrt/buffer.h"
#include "systolic/pjrt/device.h"
#include "systolic/pjrt/event.h"
#include "systolic/pjrt/executable.h"
#include "systolic/pjrt/plugin.h"

namespace systolic::internal::pjrt {

// What a transfer may do with the host's memory.
enum class HostMemory {
  copied_at_once,   // read before the call returns
  kept_until_done,  // read until the event fires
  shared,           // may become the buffer itself; never written
};

// A transfer under way: `done` fires when the host's memory is free again.
struct Upload {
  Buffer buffer;
  Event done;
};

// Owns one client. Buffers and executables must be destroyed before it.
class Client : public Handle<abi::Client> {
 public:
  Client() = default;
  // Throws PlatformError, INVALID_ARGUMENT for options it does not know.
  static Client create(const Plugin& plugin, const NamedValues& options = {});

  std::string platform_name() const;
  std::string platform_version() const;
  // The devices of this process, in the plugin's order.
  std::vector<Device> devices() const;

  // Compiles and loads a StableHLO text; options as encode() gives them.
  LoadedExecutable compile(const std::string& text,
                           const std::string& encoded_options) const;
  // Loads what Executable::serialize gave.
  LoadedExecutable load(const std::string& serialized,
                        const std::string& encoded_options) const;
  // Starts copying row-major host memory to a device. TypeError for strings.
  Upload upload(const TensorSpec& spec, const std::byte* data,
                abi::Device* device, HostMemory memory) const;

 private:
  using Handle::Handle;
};

}  // namespace systolic::internal::pjrt
