// A memory of a device: where its buffers lie.
//
//   device.memory().kind();  // "device", "unpinned_host"
#pragma once

#include <string>

#include "systolic/pjrt/abi_fwd.h"

namespace systolic::internal::pjrt {

// A view of a memory; valid as long as its client.
class Memory {
 public:
  Memory(const abi::Api* api, abi::Memory* raw) : api_(api), raw_(raw) {}

  // The plugin's word for it.
  std::string kind() const;
  abi::Memory* raw() const { return raw_; }

 private:
  const abi::Api* api_;
  abi::Memory* raw_;
};

}  // namespace systolic::internal::pjrt
