#include "systolic/runtime/buffer.h"

#include <cstdint>
#include <exception>
#include <string>

#include "systolic/base/message.h"
#include "systolic/runtime/client_impl.h"
#include "systolic/runtime/counters.h"

namespace systolic::internal::runtime {
namespace {

// Below this a copy costs less than keeping the source alive does.
constexpr size_t kSmall = 64 << 10;
// What the CPU plugin needs of memory that it uses in place.
constexpr uintptr_t kAlignment = 64;

pjrt::HostMemory how_to_send(const Array& array, const Client::Impl& client) {
  // A view's memory is the user's, who may write to it after this call.
  const bool is_owned = array.owner() != nullptr;
  if (!is_owned || array.nbytes() < kSmall) {
    return pjrt::HostMemory::copied_at_once;
  }
  const auto address = reinterpret_cast<uintptr_t>(array.data());
  return client.shares_host_memory && address % kAlignment == 0
             ? pjrt::HostMemory::shared
             : pjrt::HostMemory::kept_until_done;
}

void require_value(const DeviceBuffer& buffer, const char* who) {
  if (!buffer.is_donated()) return;
  Message(who)
      .expected("a value on " + buffer.device().name())
      .got("a buffer whose memory a program has taken over")
      .detail("buffer", buffer.spec())
      .raise<ValueError>();
}

// A read under way.
struct Download {
  Array array;
  pjrt::Event done;
};

Download start_download(const DeviceBuffer& buffer) {
  require_value(buffer, "to_host");
  Array array = Array::uninitialized(buffer.spec());
  const std::span<std::byte> bytes(array.mutable_data(), array.nbytes());
  pjrt::Event done = buffer.pjrt().read(
      bytes, static_cast<size_t>(buffer.spec().shape.rank()));
  counters().device_to_host_transfers += 1;
  counters().device_to_host_bytes += array.nbytes();
  return {std::move(array), std::move(done)};
}

// Waits for all, since they write to memory that an exception would free.
void await_all(std::span<const pjrt::Event> events) {
  std::exception_ptr first;
  for (const pjrt::Event& event : events) {
    try {
      event.await();
    } catch (...) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  if (first != nullptr) std::rethrow_exception(first);
}

}  // namespace

size_t DeviceBuffer::nbytes() const { return spec_.nbytes(); }

bool DeviceBuffer::is_ready() const {
  return is_donated() || buffer_.ready().is_ready();
}

BufferPtr to_device(const Array& array, const Device& device) {
  if (!array.is_set()) {
    Message("to_device")
        .expected("an array")
        .got("one that was never set")
        .raise<ValueError>();
  }
  Client::Impl& client = device.client->impl();
  const pjrt::HostMemory how = how_to_send(array, client);
  pjrt::Upload upload = client.client.upload(
      array.spec(), array.data(),
      client.devices[static_cast<size_t>(device.index)].raw(), how);
  if (how != pjrt::HostMemory::copied_at_once) {
    upload.done.on_ready([kept = array](std::exception_ptr) {});
  }
  counters().host_to_device_transfers += 1;
  counters().host_to_device_bytes += array.nbytes();
  return std::make_shared<DeviceBuffer>(std::move(upload.buffer), array.spec(),
                                        device);
}

BufferPtr copy_to(const BufferPtr& buffer, const Device& device) {
  require_value(*buffer, "copy_to");
  if (buffer->device() == device) return buffer;
  if (buffer->device().client != device.client) {
    counters().client_to_client_copies += 1;
    return to_device(to_host(*buffer), device);
  }
  const pjrt::Device& target =
      device.client->impl().devices[static_cast<size_t>(device.index)];
  pjrt::Buffer copy = buffer->pjrt().copy_to(target.raw());
  counters().device_to_device_copies += 1;
  counters().device_to_device_bytes += buffer->nbytes();
  return std::make_shared<DeviceBuffer>(std::move(copy), buffer->spec(),
                                        device);
}

Array to_host(const DeviceBuffer& buffer) {
  Download download = start_download(buffer);
  download.done.await();
  return std::move(download.array);
}

std::vector<Array> to_host(std::span<const BufferPtr> buffers) {
  // Refused before anything is written to.
  for (const BufferPtr& buffer : buffers) require_value(*buffer, "to_host");
  std::vector<Array> arrays;
  std::vector<pjrt::Event> events;
  arrays.reserve(buffers.size());
  events.reserve(buffers.size());
  std::exception_ptr refused;
  for (const BufferPtr& buffer : buffers) {
    try {
      Download download = start_download(*buffer);
      arrays.push_back(std::move(download.array));
      events.push_back(std::move(download.done));
    } catch (...) {
      refused = std::current_exception();
      break;
    }
  }
  await_all(events);
  if (refused != nullptr) std::rethrow_exception(refused);
  return arrays;
}

void wait(std::span<const BufferPtr> buffers) {
  std::vector<pjrt::Event> events;
  events.reserve(buffers.size());
  for (const BufferPtr& buffer : buffers) {
    if (!buffer->is_donated()) events.push_back(buffer->pjrt().ready());
  }
  await_all(events);
}

}  // namespace systolic::internal::runtime
