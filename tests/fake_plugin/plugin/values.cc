// Clients, devices and buffers of the fake plugin: a buffer is bytes.
// Tested by: tests/fake_plugin/failures_test.cc
#include <algorithm>
#include <cstring>

#include "tests/fake_plugin/plugin/table.h"

namespace systolic::internal::pjrt::abi {

Client::Client(int count) : devices(static_cast<size_t>(count)) {
  for (Device& device : devices) {
    device.description.id = static_cast<int>(pointers.size());
    pointers.push_back(&device);
  }
}

}  // namespace systolic::internal::pjrt::abi

namespace systolic::internal::pjrt::fake {
namespace {

template <class Args>
abi::Error* give_text(Args* args, const std::string& text) {
  args->items = text.data();
  args->count = text.size();
  return nullptr;
}

template <class Noun, class Value, class Given>
abi::Error* give(abi::GetArgs<Noun, Value>* args, Given value) {
  args->value = static_cast<Value>(value);
  return nullptr;
}

// --- clients and devices ---------------------------------------------------

abi::Error* client_create(abi::ClientCreateArgs* args) {
  int64_t count = control().wishes.devices;
  for (size_t i = 0; i < args->num_options; ++i) {
    const abi::NamedValue& option = args->create_options[i];
    if (!control().wishes.ignores_options) count = option.int64_value;
  }
  args->client = new abi::Client(static_cast<int>(count));
  return nullptr;
}

abi::Error* client_destroy(abi::NounArgs<abi::Client>* args) {
  delete args->noun;
  return nullptr;
}

abi::Error* client_name(abi::ListArgs<abi::Client, char>* args) {
  static const std::string name = "fake";
  return give_text(args, name);
}

abi::Error* client_devices(abi::ListArgs<abi::Client, abi::Device*>* args) {
  args->items = args->noun->pointers.data();
  args->count = args->noun->pointers.size();
  return nullptr;
}

abi::Error* description_id(abi::GetArgs<abi::DeviceDescription, int>* args) {
  return give(args, args->noun->id);
}

abi::Error* description_attributes(
    abi::CountedArgs<abi::DeviceDescription, abi::NamedValue>* args) {
  args->count = 0;
  return nullptr;
}

abi::Error* description_kind(
    abi::ListArgs<abi::DeviceDescription, char>* args) {
  return give_text(args, args->noun->kind);
}

abi::Error* description_text(
    abi::ListArgs<abi::DeviceDescription, char>* args) {
  return give_text(args, args->noun->text);
}

abi::Error* device_description(
    abi::GetArgs<abi::Device, abi::DeviceDescription*>* args) {
  return give(args, &args->noun->description);
}

abi::Error* device_memory(abi::GetArgs<abi::Device, abi::Memory*>* args) {
  return give(args, &args->noun->memory);
}

abi::Error* device_stats(abi::DeviceMemoryStatsArgs* args) {
  args->bytes_in_use = 1 << 20;
  return nullptr;
}

abi::Error* memory_kind(abi::ListArgs<abi::Memory, char>* args) {
  static const std::string kind = "fake memory";
  return give_text(args, kind);
}

// --- buffers ---------------------------------------------------------------

size_t bytes_of(abi::BufferType type) {
  switch (type) {
    case abi::BufferType::pred:
    case abi::BufferType::s8:
    case abi::BufferType::u8:
      return 1;
    case abi::BufferType::s64:
    case abi::BufferType::u64:
    case abi::BufferType::f64:
      return 8;
    default:
      return 4;
  }
}

abi::Error* buffer_from_host(abi::BufferFromHostArgs* args) {
  auto* buffer = new abi::Buffer;
  buffer->type = args->type;
  buffer->device = args->device;
  buffer->dims.assign(args->dims, args->dims + args->num_dims);
  size_t size = bytes_of(args->type);
  for (int64_t dim : buffer->dims) size *= static_cast<size_t>(dim);
  buffer->bytes.resize(size);
  if (size > 0) std::memcpy(buffer->bytes.data(), args->data, size);
  args->buffer = buffer;
  // Where the caller keeps its memory it is read until the event fires.
  const auto* source = static_cast<const std::byte*>(args->data);
  const bool is_kept =
      args->semantics != abi::HostSemantics::immutable_only_during_call;
  args->done_with_host_buffer =
      make_event(control().wishes.upload, args->device, [=] {
        if (is_kept) const std::vector<std::byte> read(source, source + size);
      });
  return nullptr;
}

abi::Error* buffer_destroy(abi::NounArgs<abi::Buffer>* args) {
  delete args->noun;
  return nullptr;
}

abi::Error* buffer_type(abi::GetArgs<abi::Buffer, abi::BufferType>* args) {
  return give(args, args->noun->type);
}

abi::Error* buffer_dims(abi::ListArgs<abi::Buffer, int64_t>* args) {
  args->items = args->noun->dims.data();
  args->count = args->noun->dims.size();
  return nullptr;
}

abi::Error* buffer_layout(abi::GetArgs<abi::Buffer, abi::MemoryLayout>* args) {
  abi::Buffer& buffer = *args->noun;
  const size_t rank = buffer.dims.size();
  buffer.minor_to_major.resize(rank);
  for (size_t i = 0; i < rank; ++i) {
    buffer.minor_to_major[i] = static_cast<int64_t>(rank - 1 - i);
  }
  args->value = {};
  args->value.type = control().wishes.has_layout ? abi::LayoutType::tiled
                                                 : abi::LayoutType::strides;
  args->value.tiled.minor_to_major = buffer.minor_to_major.data();
  args->value.tiled.minor_to_major_size = rank;
  return nullptr;
}

abi::Error* buffer_size(abi::GetArgs<abi::Buffer, size_t>* args) {
  return give(args, args->noun->bytes.size());
}

abi::Error* buffer_device(abi::GetArgs<abi::Buffer, abi::Device*>* args) {
  return give(args, args->noun->device);
}

abi::Error* buffer_is_deleted(abi::GetArgs<abi::Buffer, bool>* args) {
  return give(args, args->noun->is_deleted);
}

abi::Error* buffer_copy(abi::BufferCopyToDeviceArgs* args) {
  auto* copy = new abi::Buffer;
  copy->bytes = args->buffer->bytes;
  copy->dims = args->buffer->dims;
  copy->type = args->buffer->type;
  copy->device = args->device;
  args->copy = copy;
  return nullptr;
}

abi::Error* buffer_to_host(abi::BufferToHostArgs* args) {
  std::vector<std::byte> bytes = args->source->bytes;
  bytes.resize(std::min(bytes.size(), args->destination_size));
  args->event =
      make_event(control().wishes.transfer, args->source->device,
                 [bytes, to = static_cast<std::byte*>(args->destination)] {
                   std::copy(bytes.begin(), bytes.end(), to);
                 });
  return nullptr;
}

abi::Error* buffer_ready(abi::GetArgs<abi::Buffer, abi::Event*>* args) {
  return give(args, make_event(control().wishes.ready, args->noun->device));
}

abi::Error* buffer_pointer(abi::GetArgs<abi::Buffer, uintptr_t>* args) {
  args->value = reinterpret_cast<uintptr_t>(args->noun->bytes.data());
  return nullptr;
}

}  // namespace

void install_values() {
  install<kClientCreate, &client_create>();
  install<kClientDestroy, &client_destroy>();
  install<kClientPlatformName, &client_name>();
  install<kClientPlatformVersion, &client_name>();
  install<kClientDevices, &client_devices>();
  install<kDescriptionId, &description_id>();
  install<kDescriptionAttributes, &description_attributes>();
  install<kDescriptionKind, &description_kind>();
  install<kDescriptionToString, &description_text>();
  install<kDeviceDescription, &device_description>();
  install<kDeviceMemory, &device_memory>();
  install<kDeviceMemoryStats, &device_stats>();
  install<kMemoryKind, &memory_kind>();
  install<kBufferFromHost, &buffer_from_host>();
  install<kBufferDestroy, &buffer_destroy>();
  install<kBufferElementType, &buffer_type>();
  install<kBufferDimensions, &buffer_dims>();
  install<kBufferLayout, &buffer_layout>();
  install<kBufferOnDeviceSize, &buffer_size>();
  install<kBufferDevice, &buffer_device>();
  install<kBufferIsDeleted, &buffer_is_deleted>();
  install<kBufferCopyToDevice, &buffer_copy>();
  install<kBufferToHost, &buffer_to_host>();
  install<kBufferReadyEvent, &buffer_ready>();
  install<kBufferPointer, &buffer_pointer>();
}

}  // namespace systolic::internal::pjrt::fake
