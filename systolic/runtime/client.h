// One connection to a platform and its devices, kept until the process ends.
//
//   Client& client = Client::open({.platform = "cpu", .device_count = 8});
//   BufferPtr x = to_device(array, client.device(0));
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/platforms/capability.h"
#include "systolic/runtime/device.h"

namespace systolic::internal::platforms {
class Platform;
}
namespace systolic::internal::pjrt {
class Client;
}

namespace systolic::internal::runtime {

using platforms::Capability;

// Which platform to open and how. Equal requests give the same client.
struct PlatformRequest {
  std::string platform = "cpu";
  // How many devices to show, where the platform can choose (CPU); others
  // show what they have.
  int device_count = 1;
  // The plugin's file; empty: searched for as platforms/search.h says.
  std::string path = "";
  bool operator==(const PlatformRequest&) const = default;
};

// A platform with its devices. Lives until the process ends: there is no
// destruction at exit, so buffers may be released at any time.
class Client {
 public:
  // The client of a request, made at the first call; safe from any thread.
  // Throws PlatformError naming what is missing and how to get it.
  static Client& open(const PlatformRequest& request);

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // The platform's name in the table: "cpu".
  const std::string& platform() const;
  // The plugin's own words on its version.
  const std::string& platform_version() const;
  int device_count() const;
  // The device of an index; ValueError if there is no such device.
  Device device(int index);
  std::vector<Device> devices();
  // Whether the platform can do something, as its row and plugin say.
  bool has(Capability capability) const;
  // Whether a kernel of this name is registered: "systolic_conv2d".
  bool has_kernel(std::string_view name) const;

  // For this room.
  struct Impl;
  Impl& impl() { return *impl_; }
  const Impl& impl() const { return *impl_; }

 private:
  explicit Client(std::unique_ptr<Impl> impl);
  ~Client();

  std::unique_ptr<Impl> impl_;
};

// Opens a client, as Client::open.
inline Client& open(const PlatformRequest& request) {
  return Client::open(request);
}

}  // namespace systolic::internal::runtime
