// A device as a value: which client, and which of its devices.
//
//   Client& client = Client::open({.platform = "cpu", .device_count = 8});
//   Device third = client.device(3);
#pragma once

#include <string>

namespace systolic::internal::runtime {

class Client;

// One addressable device of a client; cheap to copy and to compare.
struct Device {
  Client* client = nullptr;
  int index = 0;

  // The plugin's word for the hardware: "cpu", "TPU v3", "NVIDIA H100".
  std::string kind() const;
  // "cpu:3": the platform's name and the index.
  std::string name() const;
  bool operator==(const Device&) const = default;
};

}  // namespace systolic::internal::runtime
