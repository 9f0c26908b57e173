// A PJRT buffer: a value on one device, with unique ownership.
//
//   Buffer x = client.to_device(source, device);
//   Event done = x.read(bytes, dims, sizeof(float));
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

  // The element type, as the C API numbers them.
  int element_type() const;
  // The extents, outermost first.
  std::vector<int64_t> dims() const;
  // The bytes the value takes on the device, padding included.
  size_t on_device_bytes() const;
  // The device the value lies on, for comparison.
  abi::Device* device() const;
  bool is_deleted() const;

  // An event that fires when the value is there or has failed.
  Event ready() const;
  // Starts copying to host memory that is row-major; `destination` must live
  // until the event fires.
  Event read(std::span<std::byte> destination, std::span<const int64_t> dims,
             size_t item_bytes) const;
  // A copy on another device of the same client.
  Buffer copy_to(abi::Device* device) const;
};

}  // namespace systolic::internal::pjrt
