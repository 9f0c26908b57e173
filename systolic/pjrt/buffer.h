// A PJRT buffer: a value on one device, with unique ownership.
//
//   Buffer x = client.to_device(source, device);
//   Event done = x.read(bytes, 2);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "systolic/array/dtype.h"
#include "systolic/pjrt/abi_fwd.h"
#include "systolic/pjrt/event.h"
#include "systolic/pjrt/handle.h"

namespace systolic::internal::pjrt {

// Owns one buffer. Destroying it frees the device memory once nothing that
// runs needs it.
class Buffer : public Handle<abi::Buffer> {
 public:
  Buffer() = default;
  Buffer(const abi::Api* api, abi::Buffer* raw) : Handle(api, raw) {}

  // The element type; TypeError for one that arrays do not have.
  DType dtype() const;
  // The extents, outermost first.
  std::vector<int64_t> dims() const;
  // The bytes the value takes on the device, padding included.
  size_t on_device_bytes() const;
  // The device the value lies on, for comparison.
  abi::Device* device() const;
  bool is_deleted() const;

  // An event that fires when the value is there or has failed.
  Event ready() const;
  // Starts copying to the host in row-major order; `destination` has the
  // value's size and must live until the event fires. `rank` is the value's.
  Event read(std::span<std::byte> destination, size_t rank) const;
  // Where the value lies, on platforms whose memory is the host's; null if it
  // is not in row-major order or the plugin does not say. To be read only after
  // ready(), while the buffer lives and is not donated.
  const std::byte* host_pointer() const;
  // A copy on another device of the same client.
  Buffer copy_to(abi::Device* device) const;
};

}  // namespace systolic::internal::pjrt
