#include "systolic/runtime/buffer.h"

#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/base/trace.h"
#include "systolic/runtime/client_impl.h"
#include "systolic/runtime/counters.h"
#include "systolic/runtime/deadline.h"

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

[[noreturn]] void throw_donated(const DeviceBuffer& buffer, const char* who) {
  Message(who)
      .expected("a value on " + buffer.device().name())
      .got("a buffer whose memory a program has taken over")
      .detail("buffer", buffer.spec())
      .raise<ValueError>();
}

bool has_happened(const pjrt::Event& event) noexcept {
  try {
    return event.is_ready();
  } catch (const std::exception&) {
    return false;
  }
}

// Keeps an array that the plugin writes to or reads from until it is done with
// that, or for ever if it never says so.
void keep_until(const pjrt::Event& done, Array array) noexcept {
  auto* kept = new (std::nothrow) Array(std::move(array));
  try {
    done.on_ready([kept](const std::exception_ptr&) { delete kept; });
  } catch (const std::exception& error) {
    log(LogLevel::warning, error.what());
    if (has_happened(done)) delete kept;
  }
}

// A read under way; programs that would take the memory wait for its end.
class Download {
 public:
  explicit Download(const DeviceBuffer& buffer) : buffer_(&buffer) {
    if (!buffer.begin_read()) throw_donated(buffer, "to_host");
    try {
      start();
    } catch (...) {
      buffer.end_read();
      throw;
    }
  }
  Download(Download&& other) noexcept
      : buffer_(std::exchange(other.buffer_, nullptr)),
        array_(std::move(other.array_)),
        done_(std::move(other.done_)) {}
  ~Download() {
    if (buffer_ == nullptr) return;
    buffer_->end_read();
    // Given up: the plugin may write to the array still.
    if (is_transfer_) keep_until(done_, std::move(array_));
  }

  Awaited awaited() const { return {&done_, buffer_}; }

  // `all` are the downloads that run at once, for the error's text.
  Array finish(std::span<const Awaited> all, const Deadline& deadline) {
    await(awaited(), all, "to_host", deadline);
    if (in_place() && array_.nbytes() > 0) copy_in_place(deadline);
    is_transfer_ = false;
    return std::move(array_);
  }

 private:
  bool in_place() const {
    return buffer_->device().client->impl().shares_host_memory;
  }

  void start() {
    array_ = Array::uninitialized(buffer_->spec());
    counters().device_to_host_transfers += 1;
    counters().device_to_host_bytes += array_.nbytes();
    // In place nothing has to be sent; the plugin's own transfer would go over
    // another thread.
    if (in_place()) {
      done_ = buffer_->pjrt().ready();
    } else {
      start_transfer();
    }
  }

  void start_transfer() {
    done_ = buffer_->pjrt().read({array_.mutable_data(), array_.nbytes()},
                                 static_cast<size_t>(array_.rank()));
    is_transfer_ = true;
  }

  void copy_in_place(const Deadline& deadline) {
    const std::byte* source = buffer_->pjrt().host_pointer();
    if (source == nullptr) {  // not row-major
      start_transfer();
      await(awaited(), {}, "to_host", deadline);
      return;
    }
    std::memcpy(array_.mutable_data(), source, array_.nbytes());
  }

  const DeviceBuffer* buffer_;
  Array array_;
  pjrt::Event done_;
  bool is_transfer_ = false;  // the plugin writes to array_ until done_ fires
};

int64_t total_bytes(std::span<const BufferPtr> buffers) {
  size_t total = 0;
  for (const BufferPtr& buffer : buffers) total += buffer->nbytes();
  return static_cast<int64_t>(total);
}

}  // namespace

size_t DeviceBuffer::nbytes() const { return spec_.nbytes(); }

bool DeviceBuffer::exchange_donated(bool donated) {
  const bool before = donated_.exchange(donated);
  if (donated && !before) {
    while (const int readers = readers_.load()) readers_.wait(readers);
  }
  return before;
}

bool DeviceBuffer::begin_read() const {
  readers_ += 1;
  if (!is_donated()) return true;
  end_read();
  return false;
}

void DeviceBuffer::end_read() const {
  if (--readers_ == 0) readers_.notify_all();
}

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
  TraceScope scope("to device");
  scope.note("bytes", static_cast<int64_t>(array.nbytes()));
  Client::Impl& client = device.client->impl();
  const pjrt::HostMemory how = how_to_send(array, client);
  pjrt::Upload upload = client.client.upload(
      array.spec(), array.data(),
      client.devices[static_cast<size_t>(device.index)].raw(), how);
  if (how != pjrt::HostMemory::copied_at_once) {
    keep_until(upload.done, array);
  }
  counters().host_to_device_transfers += 1;
  counters().host_to_device_bytes += array.nbytes();
  auto buffer = std::make_shared<DeviceBuffer>(std::move(upload.buffer),
                                               array.spec(), device);
  if (array.dtype() == DType::int32 && array.rank() == 0) {
    buffer->set_host_integer(array.item<int32_t>());
  }
  return buffer;
}

BufferPtr copy_to(const BufferPtr& buffer, const Device& device) {
  if (buffer->is_donated()) throw_donated(*buffer, "copy_to");
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
  auto there =
      std::make_shared<DeviceBuffer>(std::move(copy), buffer->spec(), device);
  if (const auto& value = buffer->host_integer()) {
    there->set_host_integer(*value);
  }
  return there;
}

Array to_host(const DeviceBuffer& buffer) {
  TraceScope scope("to host");
  scope.note("bytes", static_cast<int64_t>(buffer.nbytes()));
  Download download(buffer);
  const Awaited all[] = {download.awaited()};
  return download.finish(all, Deadline());
}

std::vector<Array> to_host(std::span<const BufferPtr> buffers) {
  TraceScope scope("to host");
  if (scope.is_on()) scope.note("bytes", total_bytes(buffers));
  std::vector<Download> downloads;
  downloads.reserve(buffers.size());
  std::exception_ptr first;
  for (const BufferPtr& buffer : buffers) {
    try {
      downloads.emplace_back(*buffer);
    } catch (...) {
      first = std::current_exception();
      break;
    }
  }
  // Waits for all even then: they write to memory that is freed afterwards.
  std::vector<Awaited> all;
  for (const Download& download : downloads) all.push_back(download.awaited());
  std::vector<Array> arrays;
  arrays.reserve(buffers.size());
  const Deadline deadline;
  for (Download& download : downloads) {
    try {
      arrays.push_back(download.finish(all, deadline));
    } catch (...) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  if (first != nullptr) std::rethrow_exception(first);
  return arrays;
}

void wait(std::span<const BufferPtr> buffers) {
  const TraceScope scope("wait");
  std::vector<pjrt::Event> events;
  events.reserve(buffers.size());  // `all` points to them
  std::vector<Awaited> all;
  for (const BufferPtr& buffer : buffers) {
    if (buffer->is_donated()) continue;
    events.push_back(buffer->pjrt().ready());
    all.push_back({&events.back(), buffer.get()});
  }
  std::exception_ptr first;
  const Deadline deadline;
  for (const Awaited& one : all) {
    try {
      await(one, all, "wait", deadline);
    } catch (...) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  if (first != nullptr) std::rethrow_exception(first);
}

}  // namespace systolic::internal::runtime
