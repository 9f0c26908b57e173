// The part of the PJRT C API that moves values: abi.h goes on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "systolic/pjrt/abi.h"

namespace systolic::internal::pjrt::abi {

// Element types as the C API numbers them.
enum class BufferType : int32_t {
  invalid = 0,
  pred = 1,
  s8 = 2,
  s16 = 3,
  s32 = 4,
  s64 = 5,
  u8 = 6,
  u16 = 7,
  u32 = 8,
  u64 = 9,
  f16 = 10,
  f32 = 11,
  f64 = 12,
  bf16 = 13,
  c64 = 14,
  c128 = 15,
  f8e5m2 = 16,
  f8e4m3fn = 17
};

// What a plugin may do with host memory that it copies from.
enum class HostSemantics : int32_t {
  immutable_only_during_call = 0,
  immutable_until_transfer_completes = 1,
  immutable_zero_copy = 2,
  mutable_zero_copy = 3
};

enum class LayoutType : int32_t { tiled = 0, strides = 1 };
struct TiledLayout {
  size_t struct_size;
  ExtensionBase* extension_start;
  const int64_t* minor_to_major;
  size_t minor_to_major_size;
  const int64_t* tile_dims;
  const size_t* tile_dim_sizes;
  size_t num_tiles;
};

struct StridesLayout {
  size_t struct_size;
  ExtensionBase* extension_start;
  const int64_t* byte_strides;
  size_t num_byte_strides;
};

struct MemoryLayout {
  size_t struct_size;
  ExtensionBase* extension_start;
  union {
    TiledLayout tiled;
    StridesLayout strides;
  };
  LayoutType type;
};

struct BufferFromHostArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Client* client;
  const void* data;
  BufferType type;
  const int64_t* dims;
  size_t num_dims;
  const int64_t* byte_strides;
  size_t num_byte_strides;
  HostSemantics semantics;
  Device* device;
  Memory* memory;
  MemoryLayout* device_layout;
  Event* done_with_host_buffer;  // out
  Buffer* buffer;                // out
};

struct BufferToHostArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Buffer* source;
  MemoryLayout* host_layout;
  void* destination;
  size_t destination_size;
  Event* event;  // out
};

struct BufferCopyToDeviceArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Buffer* buffer;
  Device* device;
  Buffer* copy;  // out
};

}  // namespace systolic::internal::pjrt::abi
