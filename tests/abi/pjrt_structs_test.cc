// Our argument structs of the PJRT C API beside the published header, which
// scripts/install-headers fetches: each field lies where it lies there. The
// header is of API 0.81; what was appended since is behind our structs.
#include <gtest/gtest.h>

#include "systolic/pjrt/abi.h"
#include "systolic/pjrt/abi_buffer.h"
#include "systolic/pjrt/abi_program.h"
#include "tests/abi/same_layout.h"

#if __has_include(<pjrt_c_api.h>)
#include <pjrt_c_api.h>

namespace systolic::internal::pjrt {
namespace {

using Stats = PJRT_Device_MemoryStats_Args;

// A figure and whether it is set: two fields there, a struct here.
#define SAME_OPTIONAL(name)                                        \
  SAME_FIELD(abi::DeviceMemoryStatsArgs, name.value, Stats, name); \
  SAME_FIELD(abi::DeviceMemoryStatsArgs, name.is_set, Stats, name##_is_set)

SAME_SIZE(abi::ExtensionBase, PJRT_Extension_Base);
SAME_FIELD(abi::ExtensionBase, type, PJRT_Extension_Base, type);
SAME_FIELD(abi::ExtensionBase, next, PJRT_Extension_Base, next);

SAME_STRUCT(abi::Version, PJRT_Api_Version);
SAME_FIELD(abi::Version, major, PJRT_Api_Version, major_version);
SAME_FIELD(abi::Version, minor, PJRT_Api_Version, minor_version);

SAME_STRUCT(abi::NamedValue, PJRT_NamedValue);
SAME_FIELD(abi::NamedValue, name, PJRT_NamedValue, name);
SAME_FIELD(abi::NamedValue, name_size, PJRT_NamedValue, name_size);
SAME_FIELD(abi::NamedValue, type, PJRT_NamedValue, type);
SAME_FIELD(abi::NamedValue, string_value, PJRT_NamedValue, string_value);
SAME_FIELD(abi::NamedValue, int64_value, PJRT_NamedValue, int64_value);
SAME_FIELD(abi::NamedValue, int64_list_value, PJRT_NamedValue,
           int64_array_value);
SAME_FIELD(abi::NamedValue, float_value, PJRT_NamedValue, float_value);
SAME_FIELD(abi::NamedValue, bool_value, PJRT_NamedValue, bool_value);
SAME_FIELD(abi::NamedValue, value_size, PJRT_NamedValue, value_size);

SAME_STRUCT(abi::PluginInitializeArgs, PJRT_Plugin_Initialize_Args);

SAME_STRUCT(abi::PluginAttributesArgs, PJRT_Plugin_Attributes_Args);
SAME_FIELD(abi::PluginAttributesArgs, attributes, PJRT_Plugin_Attributes_Args,
           attributes);
SAME_FIELD(abi::PluginAttributesArgs, num_attributes,
           PJRT_Plugin_Attributes_Args, num_attributes);

SAME_STRUCT(abi::EventOnReadyArgs, PJRT_Event_OnReady_Args);
SAME_FIELD(abi::EventOnReadyArgs, event, PJRT_Event_OnReady_Args, event);
SAME_FIELD(abi::EventOnReadyArgs, callback, PJRT_Event_OnReady_Args, callback);
SAME_FIELD(abi::EventOnReadyArgs, user_arg, PJRT_Event_OnReady_Args, user_arg);

SAME_STRUCT(abi::ClientCreateArgs, PJRT_Client_Create_Args);
SAME_FIELD(abi::ClientCreateArgs, create_options, PJRT_Client_Create_Args,
           create_options);
SAME_FIELD(abi::ClientCreateArgs, num_options, PJRT_Client_Create_Args,
           num_options);
SAME_FIELD(abi::ClientCreateArgs, kv_get_callback, PJRT_Client_Create_Args,
           kv_get_callback);
SAME_FIELD(abi::ClientCreateArgs, kv_get_user_arg, PJRT_Client_Create_Args,
           kv_get_user_arg);
SAME_FIELD(abi::ClientCreateArgs, kv_put_callback, PJRT_Client_Create_Args,
           kv_put_callback);
SAME_FIELD(abi::ClientCreateArgs, kv_put_user_arg, PJRT_Client_Create_Args,
           kv_put_user_arg);
SAME_FIELD(abi::ClientCreateArgs, client, PJRT_Client_Create_Args, client);
SAME_FIELD(abi::ClientCreateArgs, kv_try_get_callback, PJRT_Client_Create_Args,
           kv_try_get_callback);
SAME_FIELD(abi::ClientCreateArgs, kv_try_get_user_arg, PJRT_Client_Create_Args,
           kv_try_get_user_arg);

SAME_STRUCT(abi::TopologyCreateArgs, PJRT_TopologyDescription_Create_Args);
SAME_FIELD(abi::TopologyCreateArgs, topology_name,
           PJRT_TopologyDescription_Create_Args, topology_name);
SAME_FIELD(abi::TopologyCreateArgs, topology_name_size,
           PJRT_TopologyDescription_Create_Args, topology_name_size);
SAME_FIELD(abi::TopologyCreateArgs, create_options,
           PJRT_TopologyDescription_Create_Args, create_options);
SAME_FIELD(abi::TopologyCreateArgs, num_options,
           PJRT_TopologyDescription_Create_Args, num_options);
SAME_FIELD(abi::TopologyCreateArgs, topology,
           PJRT_TopologyDescription_Create_Args, topology);

SAME_STRUCT(abi::DeviceMemoryStatsArgs, PJRT_Device_MemoryStats_Args);
SAME_FIELD(abi::DeviceMemoryStatsArgs, device, PJRT_Device_MemoryStats_Args,
           device);
SAME_FIELD(abi::DeviceMemoryStatsArgs, bytes_in_use,
           PJRT_Device_MemoryStats_Args, bytes_in_use);
SAME_OPTIONAL(peak_bytes_in_use);
SAME_OPTIONAL(num_allocs);
SAME_OPTIONAL(largest_alloc_size);
SAME_OPTIONAL(bytes_limit);
SAME_OPTIONAL(bytes_reserved);
SAME_OPTIONAL(peak_bytes_reserved);
SAME_OPTIONAL(bytes_reservable_limit);
SAME_OPTIONAL(largest_free_block_bytes);
SAME_OPTIONAL(pool_bytes);
SAME_OPTIONAL(peak_pool_bytes);

SAME_STRUCT(abi::TiledLayout, PJRT_Buffer_MemoryLayout_Tiled);
SAME_FIELD(abi::TiledLayout, minor_to_major, PJRT_Buffer_MemoryLayout_Tiled,
           minor_to_major);
SAME_FIELD(abi::TiledLayout, minor_to_major_size,
           PJRT_Buffer_MemoryLayout_Tiled, minor_to_major_size);
SAME_FIELD(abi::TiledLayout, tile_dims, PJRT_Buffer_MemoryLayout_Tiled,
           tile_dims);
SAME_FIELD(abi::TiledLayout, tile_dim_sizes, PJRT_Buffer_MemoryLayout_Tiled,
           tile_dim_sizes);
SAME_FIELD(abi::TiledLayout, num_tiles, PJRT_Buffer_MemoryLayout_Tiled,
           num_tiles);

SAME_STRUCT(abi::StridesLayout, PJRT_Buffer_MemoryLayout_Strides);
SAME_FIELD(abi::StridesLayout, byte_strides, PJRT_Buffer_MemoryLayout_Strides,
           byte_strides);
SAME_FIELD(abi::StridesLayout, num_byte_strides,
           PJRT_Buffer_MemoryLayout_Strides, num_byte_strides);

SAME_STRUCT(abi::MemoryLayout, PJRT_Buffer_MemoryLayout);
SAME_FIELD(abi::MemoryLayout, tiled, PJRT_Buffer_MemoryLayout, tiled);
SAME_FIELD(abi::MemoryLayout, strides, PJRT_Buffer_MemoryLayout, strides);
SAME_FIELD(abi::MemoryLayout, type, PJRT_Buffer_MemoryLayout, type);

SAME_STRUCT(abi::BufferFromHostArgs, PJRT_Client_BufferFromHostBuffer_Args);
SAME_FIELD(abi::BufferFromHostArgs, client,
           PJRT_Client_BufferFromHostBuffer_Args, client);
SAME_FIELD(abi::BufferFromHostArgs, data, PJRT_Client_BufferFromHostBuffer_Args,
           data);
SAME_FIELD(abi::BufferFromHostArgs, type, PJRT_Client_BufferFromHostBuffer_Args,
           type);
SAME_FIELD(abi::BufferFromHostArgs, dims, PJRT_Client_BufferFromHostBuffer_Args,
           dims);
SAME_FIELD(abi::BufferFromHostArgs, num_dims,
           PJRT_Client_BufferFromHostBuffer_Args, num_dims);
SAME_FIELD(abi::BufferFromHostArgs, byte_strides,
           PJRT_Client_BufferFromHostBuffer_Args, byte_strides);
SAME_FIELD(abi::BufferFromHostArgs, num_byte_strides,
           PJRT_Client_BufferFromHostBuffer_Args, num_byte_strides);
SAME_FIELD(abi::BufferFromHostArgs, semantics,
           PJRT_Client_BufferFromHostBuffer_Args, host_buffer_semantics);
SAME_FIELD(abi::BufferFromHostArgs, device,
           PJRT_Client_BufferFromHostBuffer_Args, device);
SAME_FIELD(abi::BufferFromHostArgs, memory,
           PJRT_Client_BufferFromHostBuffer_Args, memory);
SAME_FIELD(abi::BufferFromHostArgs, device_layout,
           PJRT_Client_BufferFromHostBuffer_Args, device_layout);
SAME_FIELD(abi::BufferFromHostArgs, done_with_host_buffer,
           PJRT_Client_BufferFromHostBuffer_Args, done_with_host_buffer);
SAME_FIELD(abi::BufferFromHostArgs, buffer,
           PJRT_Client_BufferFromHostBuffer_Args, buffer);

SAME_STRUCT(abi::BufferToHostArgs, PJRT_Buffer_ToHostBuffer_Args);
SAME_FIELD(abi::BufferToHostArgs, source, PJRT_Buffer_ToHostBuffer_Args, src);
SAME_FIELD(abi::BufferToHostArgs, host_layout, PJRT_Buffer_ToHostBuffer_Args,
           host_layout);
SAME_FIELD(abi::BufferToHostArgs, destination, PJRT_Buffer_ToHostBuffer_Args,
           dst);
SAME_FIELD(abi::BufferToHostArgs, destination_size,
           PJRT_Buffer_ToHostBuffer_Args, dst_size);
SAME_FIELD(abi::BufferToHostArgs, event, PJRT_Buffer_ToHostBuffer_Args, event);

SAME_STRUCT(abi::BufferCopyToDeviceArgs, PJRT_Buffer_CopyToDevice_Args);
SAME_FIELD(abi::BufferCopyToDeviceArgs, buffer, PJRT_Buffer_CopyToDevice_Args,
           buffer);
SAME_FIELD(abi::BufferCopyToDeviceArgs, device, PJRT_Buffer_CopyToDevice_Args,
           dst_device);
SAME_FIELD(abi::BufferCopyToDeviceArgs, copy, PJRT_Buffer_CopyToDevice_Args,
           dst_buffer);

SAME_STRUCT(abi::Program, PJRT_Program);
SAME_FIELD(abi::Program, code, PJRT_Program, code);
SAME_FIELD(abi::Program, code_size, PJRT_Program, code_size);
SAME_FIELD(abi::Program, format, PJRT_Program, format);
SAME_FIELD(abi::Program, format_size, PJRT_Program, format_size);

SAME_STRUCT(abi::ClientCompileArgs, PJRT_Client_Compile_Args);
SAME_FIELD(abi::ClientCompileArgs, client, PJRT_Client_Compile_Args, client);
SAME_FIELD(abi::ClientCompileArgs, program, PJRT_Client_Compile_Args, program);
SAME_FIELD(abi::ClientCompileArgs, compile_options, PJRT_Client_Compile_Args,
           compile_options);
SAME_FIELD(abi::ClientCompileArgs, compile_options_size,
           PJRT_Client_Compile_Args, compile_options_size);
SAME_FIELD(abi::ClientCompileArgs, executable, PJRT_Client_Compile_Args,
           executable);

SAME_STRUCT(abi::CompileArgs, PJRT_Compile_Args);
SAME_FIELD(abi::CompileArgs, topology, PJRT_Compile_Args, topology);
SAME_FIELD(abi::CompileArgs, program, PJRT_Compile_Args, program);
SAME_FIELD(abi::CompileArgs, compile_options, PJRT_Compile_Args,
           compile_options);
SAME_FIELD(abi::CompileArgs, compile_options_size, PJRT_Compile_Args,
           compile_options_size);
SAME_FIELD(abi::CompileArgs, client, PJRT_Compile_Args, client);
SAME_FIELD(abi::CompileArgs, executable, PJRT_Compile_Args, executable);

SAME_STRUCT(abi::ExecutableSerializeArgs, PJRT_Executable_Serialize_Args);
SAME_FIELD(abi::ExecutableSerializeArgs, executable,
           PJRT_Executable_Serialize_Args, executable);
SAME_FIELD(abi::ExecutableSerializeArgs, bytes, PJRT_Executable_Serialize_Args,
           serialized_bytes);
SAME_FIELD(abi::ExecutableSerializeArgs, num_bytes,
           PJRT_Executable_Serialize_Args, serialized_bytes_size);
SAME_FIELD(abi::ExecutableSerializeArgs, serialized,
           PJRT_Executable_Serialize_Args, serialized_executable);
SAME_FIELD(abi::ExecutableSerializeArgs, deleter,
           PJRT_Executable_Serialize_Args, serialized_executable_deleter);

SAME_STRUCT(abi::DeserializeAndLoadArgs,
            PJRT_Executable_DeserializeAndLoad_Args);
SAME_FIELD(abi::DeserializeAndLoadArgs, client,
           PJRT_Executable_DeserializeAndLoad_Args, client);
SAME_FIELD(abi::DeserializeAndLoadArgs, serialized,
           PJRT_Executable_DeserializeAndLoad_Args, serialized_executable);
SAME_FIELD(abi::DeserializeAndLoadArgs, serialized_size,
           PJRT_Executable_DeserializeAndLoad_Args, serialized_executable_size);
SAME_FIELD(abi::DeserializeAndLoadArgs, executable,
           PJRT_Executable_DeserializeAndLoad_Args, loaded_executable);
SAME_FIELD(abi::DeserializeAndLoadArgs, compile_options,
           PJRT_Executable_DeserializeAndLoad_Args,
           overridden_serialized_compile_options);
SAME_FIELD(abi::DeserializeAndLoadArgs, compile_options_size,
           PJRT_Executable_DeserializeAndLoad_Args,
           overridden_serialized_compile_options_size);

SAME_STRUCT(abi::OptimizedProgramArgs, PJRT_Executable_OptimizedProgram_Args);
SAME_FIELD(abi::OptimizedProgramArgs, executable,
           PJRT_Executable_OptimizedProgram_Args, executable);
SAME_FIELD(abi::OptimizedProgramArgs, program,
           PJRT_Executable_OptimizedProgram_Args, program);

SAME_STRUCT(abi::ExecutableMemoryArgs,
            PJRT_Executable_GetCompiledMemoryStats_Args);
SAME_FIELD(abi::ExecutableMemoryArgs, executable,
           PJRT_Executable_GetCompiledMemoryStats_Args, executable);
SAME_FIELD(abi::ExecutableMemoryArgs, generated_code_bytes,
           PJRT_Executable_GetCompiledMemoryStats_Args,
           generated_code_size_in_bytes);
SAME_FIELD(abi::ExecutableMemoryArgs, argument_bytes,
           PJRT_Executable_GetCompiledMemoryStats_Args, argument_size_in_bytes);
SAME_FIELD(abi::ExecutableMemoryArgs, output_bytes,
           PJRT_Executable_GetCompiledMemoryStats_Args, output_size_in_bytes);
SAME_FIELD(abi::ExecutableMemoryArgs, alias_bytes,
           PJRT_Executable_GetCompiledMemoryStats_Args, alias_size_in_bytes);
SAME_FIELD(abi::ExecutableMemoryArgs, temporary_bytes,
           PJRT_Executable_GetCompiledMemoryStats_Args, temp_size_in_bytes);
static_assert(offsetof(abi::ExecutableMemoryArgs, host) ==
              offsetof(PJRT_Executable_GetCompiledMemoryStats_Args,
                       host_generated_code_size_in_bytes));
SAME_FIELD(abi::ExecutableMemoryArgs, peak_bytes,
           PJRT_Executable_GetCompiledMemoryStats_Args, peak_memory_in_bytes);

SAME_STRUCT(abi::ExecuteOptions, PJRT_ExecuteOptions);
SAME_FIELD(abi::ExecuteOptions, send_callbacks, PJRT_ExecuteOptions,
           send_callbacks);
SAME_FIELD(abi::ExecuteOptions, recv_callbacks, PJRT_ExecuteOptions,
           recv_callbacks);
SAME_FIELD(abi::ExecuteOptions, num_send_ops, PJRT_ExecuteOptions,
           num_send_ops);
SAME_FIELD(abi::ExecuteOptions, num_recv_ops, PJRT_ExecuteOptions,
           num_recv_ops);
SAME_FIELD(abi::ExecuteOptions, launch_id, PJRT_ExecuteOptions, launch_id);
SAME_FIELD(abi::ExecuteOptions, non_donatable, PJRT_ExecuteOptions,
           non_donatable_input_indices);
SAME_FIELD(abi::ExecuteOptions, num_non_donatable, PJRT_ExecuteOptions,
           num_non_donatable_input_indices);
SAME_FIELD(abi::ExecuteOptions, context, PJRT_ExecuteOptions, context);
SAME_FIELD(abi::ExecuteOptions, call_location, PJRT_ExecuteOptions,
           call_location);
SAME_FIELD(abi::ExecuteOptions, num_tasks, PJRT_ExecuteOptions, num_tasks);
SAME_FIELD(abi::ExecuteOptions, task_ids, PJRT_ExecuteOptions, task_ids);
SAME_FIELD(abi::ExecuteOptions, incarnation_ids, PJRT_ExecuteOptions,
           incarnation_ids);

SAME_STRUCT(abi::ExecuteArgs, PJRT_LoadedExecutable_Execute_Args);
SAME_FIELD(abi::ExecuteArgs, executable, PJRT_LoadedExecutable_Execute_Args,
           executable);
SAME_FIELD(abi::ExecuteArgs, options, PJRT_LoadedExecutable_Execute_Args,
           options);
SAME_FIELD(abi::ExecuteArgs, argument_lists, PJRT_LoadedExecutable_Execute_Args,
           argument_lists);
SAME_FIELD(abi::ExecuteArgs, num_devices, PJRT_LoadedExecutable_Execute_Args,
           num_devices);
SAME_FIELD(abi::ExecuteArgs, num_arguments, PJRT_LoadedExecutable_Execute_Args,
           num_args);
SAME_FIELD(abi::ExecuteArgs, output_lists, PJRT_LoadedExecutable_Execute_Args,
           output_lists);
SAME_FIELD(abi::ExecuteArgs, device_complete_events,
           PJRT_LoadedExecutable_Execute_Args, device_complete_events);
SAME_FIELD(abi::ExecuteArgs, execute_device, PJRT_LoadedExecutable_Execute_Args,
           execute_device);

#define SAME_TYPE(ours, theirs) \
  SAME_VALUE(abi::BufferType::ours, PJRT_Buffer_Type_##theirs)
SAME_TYPE(invalid, INVALID);
SAME_TYPE(pred, PRED);
SAME_TYPE(s8, S8);
SAME_TYPE(s16, S16);
SAME_TYPE(s32, S32);
SAME_TYPE(s64, S64);
SAME_TYPE(u8, U8);
SAME_TYPE(u16, U16);
SAME_TYPE(u32, U32);
SAME_TYPE(u64, U64);
SAME_TYPE(f16, F16);
SAME_TYPE(f32, F32);
SAME_TYPE(f64, F64);
SAME_TYPE(bf16, BF16);
SAME_TYPE(c64, C64);
SAME_TYPE(c128, C128);
SAME_TYPE(f8e5m2, F8E5M2);
SAME_TYPE(f8e4m3fn, F8E4M3FN);

SAME_VALUE(abi::HostSemantics::immutable_only_during_call,
           PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
SAME_VALUE(abi::HostSemantics::immutable_until_transfer_completes,
           PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes);
SAME_VALUE(abi::HostSemantics::immutable_zero_copy,
           PJRT_HostBufferSemantics_kImmutableZeroCopy);
SAME_VALUE(abi::HostSemantics::mutable_zero_copy,
           PJRT_HostBufferSemantics_kMutableZeroCopy);
SAME_VALUE(abi::LayoutType::tiled, PJRT_Buffer_MemoryLayout_Type_Tiled);
SAME_VALUE(abi::LayoutType::strides, PJRT_Buffer_MemoryLayout_Type_Strides);
SAME_VALUE(abi::NamedValueType::string, PJRT_NamedValue_kString);
SAME_VALUE(abi::NamedValueType::int64, PJRT_NamedValue_kInt64);
SAME_VALUE(abi::NamedValueType::int64_list, PJRT_NamedValue_kInt64List);
SAME_VALUE(abi::NamedValueType::float32, PJRT_NamedValue_kFloat);
SAME_VALUE(abi::NamedValueType::boolean, PJRT_NamedValue_kBool);
SAME_VALUE(abi::ExtensionType::ffi, PJRT_Extension_Type_FFI);
SAME_VALUE(abi::kMajorVersion, PJRT_API_MAJOR);

TEST(PjrtStructs, LieAsPublished) { SUCCEED() << "checked while compiling"; }

}  // namespace
}  // namespace systolic::internal::pjrt

#else

TEST(PjrtStructs, LieAsPublished) {
  GTEST_SKIP() << "no pjrt_c_api.h: run scripts/install-headers";
}

#endif
