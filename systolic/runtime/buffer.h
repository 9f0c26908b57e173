// Values on a device and their transfers.
//
//   BufferPtr x = to_device(array, client.device(0));
//   BufferPtr y = copy_to(x, client.device(1));
//   Array back = to_host(*y);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/pjrt/buffer.h"
#include "systolic/runtime/device.h"

namespace systolic::internal::runtime {

// A value on one device. Owned by its BufferPtr; the device memory is freed
// with it. The value may still be being computed.
class DeviceBuffer {
 public:
  DeviceBuffer(pjrt::Buffer buffer, const TensorSpec& spec, Device device)
      : buffer_(std::move(buffer)), spec_(spec), device_(device) {}

  const TensorSpec& spec() const { return spec_; }
  const Device& device() const { return device_; }
  // The value of a whole number that the host has sent; nothing for others.
  const std::optional<int64_t>& host_integer() const { return host_integer_; }
  void set_host_integer(int64_t value) { host_integer_ = value; }
  // The size of the value in bytes, as it lies on the host.
  size_t nbytes() const;
  // Whether a launch has taken the memory: the value is gone.
  bool is_donated() const { return donated_.load(); }
  // Whether the value has been computed or has failed; does not wait.
  bool is_ready() const;

  // For this room.
  pjrt::Buffer& pjrt() { return buffer_; }
  const pjrt::Buffer& pjrt() const { return buffer_; }
  // Sets the donated mark and returns what it was. Waits for the readers once
  // it is set: no reader sees memory that a program writes to.
  bool exchange_donated(bool donated);
  // Starts a read, or says that the value is gone; end_read ends it.
  bool begin_read() const;
  void end_read() const;

 private:
  pjrt::Buffer buffer_;
  TensorSpec spec_;
  Device device_;
  std::optional<int64_t> host_integer_;
  std::atomic<bool> donated_{false};
  mutable std::atomic<int> readers_{0};
};

using BufferPtr = std::shared_ptr<DeviceBuffer>;

// Copies a host value to a device; may return before the copy is made and
// keeps the array's memory alive until then. TypeError for strings.
BufferPtr to_device(const Array& array, const Device& device);

// Copies a value to another device. Between clients it goes over the host.
BufferPtr copy_to(const BufferPtr& buffer, const Device& device);

// Reads a value back, row-major; waits for it. Throws PlatformError with the
// failure of the program that should have made it; ValueError if donated.
Array to_host(const DeviceBuffer& buffer);

// Reads several values back; all transfers run at once.
std::vector<Array> to_host(std::span<const BufferPtr> buffers);

// Waits until the values are there; throws the first failure.
void wait(std::span<const BufferPtr> buffers);

}  // namespace systolic::internal::runtime
