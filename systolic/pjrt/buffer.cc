#include "systolic/pjrt/buffer.h"

#include <array>

#include "systolic/base/message.h"
#include "systolic/pjrt/call.h"
#include "systolic/pjrt/element_type.h"

namespace systolic::internal::pjrt {
namespace {

constexpr size_t kMaxRank = 32;

bool is_row_major(const abi::MemoryLayout& layout) {
  if (layout.type != abi::LayoutType::tiled || layout.tiled.num_tiles != 0) {
    return false;
  }
  const size_t rank = layout.tiled.minor_to_major_size;
  for (size_t i = 0; i < rank; ++i) {
    if (layout.tiled.minor_to_major[i] != static_cast<int64_t>(rank - 1 - i)) {
      return false;
    }
  }
  return true;
}

}  // namespace

DType Buffer::dtype() const {
  return dtype_of_element(get(api(), kBufferElementType, raw()));
}

std::vector<int64_t> Buffer::dims() const {
  Padded<abi::ListArgs<abi::Buffer, int64_t>> args;
  args->noun = raw();
  call(api(), kBufferDimensions, args);
  return {args->items, args->items + args->count};
}

size_t Buffer::on_device_bytes() const {
  return get(api(), kBufferOnDeviceSize, raw());
}

abi::Device* Buffer::device() const { return get(api(), kBufferDevice, raw()); }

bool Buffer::is_deleted() const { return get(api(), kBufferIsDeleted, raw()); }

Event Buffer::ready() const {
  return Event(api(), get(api(), kBufferReadyEvent, raw()));
}

Event Buffer::read(std::span<std::byte> destination, size_t rank) const {
  if (rank > kMaxRank) {
    Message("device buffer")
        .expected("rank <= ", kMaxRank)
        .got("rank ", rank)
        .raise<ShapeError>();
  }
  // Without a layout the plugin would use the device's, which need not be
  // row-major.
  std::array<int64_t, kMaxRank> minor_to_major;
  for (size_t i = 0; i < rank; ++i) {
    minor_to_major[i] = static_cast<int64_t>(rank - 1 - i);
  }
  Padded<abi::MemoryLayout> layout;
  layout->type = abi::LayoutType::tiled;
  layout->tiled.struct_size = sizeof(abi::TiledLayout);
  layout->tiled.minor_to_major = minor_to_major.data();
  layout->tiled.minor_to_major_size = rank;
  Padded<abi::BufferToHostArgs> args;
  args->source = raw();
  args->host_layout = layout.get();
  args->destination = destination.data();
  args->destination_size = destination.size();
  call(api(), kBufferToHost, args);
  return Event(api(), args->event);
}

const std::byte* Buffer::host_pointer() const {
  Padded<abi::GetArgs<abi::Buffer, abi::MemoryLayout>> layout;
  layout->noun = raw();
  if (!call_if_implemented(api(), kBufferLayout, layout) ||
      !is_row_major(layout->value)) {
    return nullptr;
  }
  Padded<abi::GetArgs<abi::Buffer, uintptr_t>> pointer;
  pointer->noun = raw();
  if (!call_if_implemented(api(), kBufferPointer, pointer)) return nullptr;
  return reinterpret_cast<const std::byte*>(pointer->value);
}

Buffer Buffer::copy_to(abi::Device* device) const {
  Padded<abi::BufferCopyToDeviceArgs> args;
  args->buffer = raw();
  args->device = device;
  call(api(), kBufferCopyToDevice, args);
  return Buffer(api(), given(args->copy, kBufferCopyToDevice.name));
}

}  // namespace systolic::internal::pjrt
