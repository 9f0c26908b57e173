// Our table of the PJRT C API's functions beside the published header: each has
// the name, the place and the arguments that it has there.
#include <gtest/gtest.h>

#include <string_view>
#include <type_traits>

#include "systolic/pjrt/functions.h"
#include "tests/abi/same_layout.h"

#if __has_include(<pjrt_c_api.h>)
#include <pjrt_c_api.h>

namespace systolic::internal::pjrt {
namespace {

template <class Args>
Args args_of(const Function<Args>&);

constexpr int index_of(size_t offset) {
  return static_cast<int>((offset - sizeof(abi::Api)) / sizeof(void*));
}

SAME_FIELD(abi::Api, struct_size, PJRT_Api, struct_size);
SAME_FIELD(abi::Api, extension_start, PJRT_Api, extension_start);
SAME_FIELD(abi::Api, version, PJRT_Api, pjrt_api_version);
static_assert(sizeof(abi::Api) == offsetof(PJRT_Api, PJRT_Error_Destroy));

// The function has the published one's name, place and size of arguments.
#define SAME_FUNCTION(ours, theirs)                                 \
  static_assert(ours.name == std::string_view(#theirs));            \
  static_assert(ours.index == index_of(offsetof(PJRT_Api, theirs)), \
                #theirs " stands elsewhere");                       \
  SAME_SIZE(decltype(args_of(ours)), theirs##_Args)

// One of its arguments, of those that have no struct of their own.
#define SAME_ARGUMENT(ours, our_field, theirs, their_field) \
  SAME_FIELD(decltype(args_of(ours)), our_field, theirs##_Args, their_field)

SAME_FUNCTION(kErrorDestroy, PJRT_Error_Destroy);
SAME_ARGUMENT(kErrorDestroy, noun, PJRT_Error_Destroy, error);

SAME_FUNCTION(kErrorMessage, PJRT_Error_Message);
SAME_ARGUMENT(kErrorMessage, noun, PJRT_Error_Message, error);
SAME_ARGUMENT(kErrorMessage, items, PJRT_Error_Message, message);
SAME_ARGUMENT(kErrorMessage, count, PJRT_Error_Message, message_size);

SAME_FUNCTION(kErrorGetCode, PJRT_Error_GetCode);
SAME_ARGUMENT(kErrorGetCode, noun, PJRT_Error_GetCode, error);
SAME_ARGUMENT(kErrorGetCode, value, PJRT_Error_GetCode, code);

SAME_FUNCTION(kPluginInitialize, PJRT_Plugin_Initialize);

SAME_FUNCTION(kPluginAttributes, PJRT_Plugin_Attributes);

SAME_FUNCTION(kEventDestroy, PJRT_Event_Destroy);
SAME_ARGUMENT(kEventDestroy, noun, PJRT_Event_Destroy, event);

SAME_FUNCTION(kEventIsReady, PJRT_Event_IsReady);
SAME_ARGUMENT(kEventIsReady, noun, PJRT_Event_IsReady, event);
SAME_ARGUMENT(kEventIsReady, value, PJRT_Event_IsReady, is_ready);

SAME_FUNCTION(kEventAwait, PJRT_Event_Await);
SAME_ARGUMENT(kEventAwait, noun, PJRT_Event_Await, event);

SAME_FUNCTION(kEventOnReady, PJRT_Event_OnReady);

SAME_FUNCTION(kClientCreate, PJRT_Client_Create);

SAME_FUNCTION(kClientDestroy, PJRT_Client_Destroy);
SAME_ARGUMENT(kClientDestroy, noun, PJRT_Client_Destroy, client);

SAME_FUNCTION(kClientPlatformName, PJRT_Client_PlatformName);
SAME_ARGUMENT(kClientPlatformName, noun, PJRT_Client_PlatformName, client);
SAME_ARGUMENT(kClientPlatformName, items, PJRT_Client_PlatformName,
              platform_name);
SAME_ARGUMENT(kClientPlatformName, count, PJRT_Client_PlatformName,
              platform_name_size);

SAME_FUNCTION(kClientPlatformVersion, PJRT_Client_PlatformVersion);
SAME_ARGUMENT(kClientPlatformVersion, noun, PJRT_Client_PlatformVersion,
              client);
SAME_ARGUMENT(kClientPlatformVersion, items, PJRT_Client_PlatformVersion,
              platform_version);
SAME_ARGUMENT(kClientPlatformVersion, count, PJRT_Client_PlatformVersion,
              platform_version_size);

SAME_FUNCTION(kClientDevices, PJRT_Client_AddressableDevices);
SAME_ARGUMENT(kClientDevices, noun, PJRT_Client_AddressableDevices, client);
SAME_ARGUMENT(kClientDevices, items, PJRT_Client_AddressableDevices,
              addressable_devices);
SAME_ARGUMENT(kClientDevices, count, PJRT_Client_AddressableDevices,
              num_addressable_devices);

SAME_FUNCTION(kClientCompile, PJRT_Client_Compile);

SAME_FUNCTION(kBufferFromHost, PJRT_Client_BufferFromHostBuffer);

SAME_FUNCTION(kDescriptionId, PJRT_DeviceDescription_Id);
SAME_ARGUMENT(kDescriptionId, noun, PJRT_DeviceDescription_Id,
              device_description);
SAME_ARGUMENT(kDescriptionId, value, PJRT_DeviceDescription_Id, id);

SAME_FUNCTION(kDescriptionAttributes, PJRT_DeviceDescription_Attributes);
SAME_ARGUMENT(kDescriptionAttributes, noun, PJRT_DeviceDescription_Attributes,
              device_description);
SAME_ARGUMENT(kDescriptionAttributes, count, PJRT_DeviceDescription_Attributes,
              num_attributes);
SAME_ARGUMENT(kDescriptionAttributes, items, PJRT_DeviceDescription_Attributes,
              attributes);

SAME_FUNCTION(kDescriptionKind, PJRT_DeviceDescription_Kind);
SAME_ARGUMENT(kDescriptionKind, noun, PJRT_DeviceDescription_Kind,
              device_description);
SAME_ARGUMENT(kDescriptionKind, items, PJRT_DeviceDescription_Kind,
              device_kind);
SAME_ARGUMENT(kDescriptionKind, count, PJRT_DeviceDescription_Kind,
              device_kind_size);

SAME_FUNCTION(kDescriptionToString, PJRT_DeviceDescription_ToString);
SAME_ARGUMENT(kDescriptionToString, noun, PJRT_DeviceDescription_ToString,
              device_description);
SAME_ARGUMENT(kDescriptionToString, items, PJRT_DeviceDescription_ToString,
              to_string);
SAME_ARGUMENT(kDescriptionToString, count, PJRT_DeviceDescription_ToString,
              to_string_size);

SAME_FUNCTION(kDeviceDescription, PJRT_Device_GetDescription);
SAME_ARGUMENT(kDeviceDescription, noun, PJRT_Device_GetDescription, device);
SAME_ARGUMENT(kDeviceDescription, value, PJRT_Device_GetDescription,
              device_description);

SAME_FUNCTION(kDeviceMemory, PJRT_Device_DefaultMemory);
SAME_ARGUMENT(kDeviceMemory, noun, PJRT_Device_DefaultMemory, device);
SAME_ARGUMENT(kDeviceMemory, value, PJRT_Device_DefaultMemory, memory);

SAME_FUNCTION(kDeviceMemoryStats, PJRT_Device_MemoryStats);

SAME_FUNCTION(kMemoryKind, PJRT_Memory_Kind);
SAME_ARGUMENT(kMemoryKind, noun, PJRT_Memory_Kind, memory);
SAME_ARGUMENT(kMemoryKind, items, PJRT_Memory_Kind, kind);
SAME_ARGUMENT(kMemoryKind, count, PJRT_Memory_Kind, kind_size);

SAME_FUNCTION(kExecutableDestroy, PJRT_Executable_Destroy);
SAME_ARGUMENT(kExecutableDestroy, noun, PJRT_Executable_Destroy, executable);

SAME_FUNCTION(kExecutableName, PJRT_Executable_Name);
SAME_ARGUMENT(kExecutableName, noun, PJRT_Executable_Name, executable);
SAME_ARGUMENT(kExecutableName, items, PJRT_Executable_Name, executable_name);
SAME_ARGUMENT(kExecutableName, count, PJRT_Executable_Name,
              executable_name_size);

SAME_FUNCTION(kExecutableNumOutputs, PJRT_Executable_NumOutputs);
SAME_ARGUMENT(kExecutableNumOutputs, noun, PJRT_Executable_NumOutputs,
              executable);
SAME_ARGUMENT(kExecutableNumOutputs, value, PJRT_Executable_NumOutputs,
              num_outputs);

SAME_FUNCTION(kExecutableCost, PJRT_Executable_GetCostAnalysis);
SAME_ARGUMENT(kExecutableCost, noun, PJRT_Executable_GetCostAnalysis,
              executable);
SAME_ARGUMENT(kExecutableCost, count, PJRT_Executable_GetCostAnalysis,
              num_properties);
SAME_ARGUMENT(kExecutableCost, items, PJRT_Executable_GetCostAnalysis,
              properties);

SAME_FUNCTION(kExecutableOptimized, PJRT_Executable_OptimizedProgram);

SAME_FUNCTION(kExecutableSerialize, PJRT_Executable_Serialize);

SAME_FUNCTION(kExecutableMemory, PJRT_Executable_GetCompiledMemoryStats);

SAME_FUNCTION(kLoadedDestroy, PJRT_LoadedExecutable_Destroy);
SAME_ARGUMENT(kLoadedDestroy, noun, PJRT_LoadedExecutable_Destroy, executable);

SAME_FUNCTION(kLoadedExecutable, PJRT_LoadedExecutable_GetExecutable);
SAME_ARGUMENT(kLoadedExecutable, noun, PJRT_LoadedExecutable_GetExecutable,
              loaded_executable);
SAME_ARGUMENT(kLoadedExecutable, value, PJRT_LoadedExecutable_GetExecutable,
              executable);

SAME_FUNCTION(kLoadedExecute, PJRT_LoadedExecutable_Execute);

SAME_FUNCTION(kDeserializeAndLoad, PJRT_Executable_DeserializeAndLoad);

SAME_FUNCTION(kBufferDestroy, PJRT_Buffer_Destroy);
SAME_ARGUMENT(kBufferDestroy, noun, PJRT_Buffer_Destroy, buffer);

SAME_FUNCTION(kBufferElementType, PJRT_Buffer_ElementType);
SAME_ARGUMENT(kBufferElementType, noun, PJRT_Buffer_ElementType, buffer);
SAME_ARGUMENT(kBufferElementType, value, PJRT_Buffer_ElementType, type);

SAME_FUNCTION(kBufferDimensions, PJRT_Buffer_Dimensions);
SAME_ARGUMENT(kBufferDimensions, noun, PJRT_Buffer_Dimensions, buffer);
SAME_ARGUMENT(kBufferDimensions, items, PJRT_Buffer_Dimensions, dims);
SAME_ARGUMENT(kBufferDimensions, count, PJRT_Buffer_Dimensions, num_dims);

SAME_FUNCTION(kBufferLayout, PJRT_Buffer_GetMemoryLayout);
SAME_ARGUMENT(kBufferLayout, noun, PJRT_Buffer_GetMemoryLayout, buffer);
SAME_ARGUMENT(kBufferLayout, value, PJRT_Buffer_GetMemoryLayout, layout);

SAME_FUNCTION(kBufferOnDeviceSize, PJRT_Buffer_OnDeviceSizeInBytes);
SAME_ARGUMENT(kBufferOnDeviceSize, noun, PJRT_Buffer_OnDeviceSizeInBytes,
              buffer);
SAME_ARGUMENT(kBufferOnDeviceSize, value, PJRT_Buffer_OnDeviceSizeInBytes,
              on_device_size_in_bytes);

SAME_FUNCTION(kBufferDevice, PJRT_Buffer_Device);
SAME_ARGUMENT(kBufferDevice, noun, PJRT_Buffer_Device, buffer);
SAME_ARGUMENT(kBufferDevice, value, PJRT_Buffer_Device, device);

SAME_FUNCTION(kBufferIsDeleted, PJRT_Buffer_IsDeleted);
SAME_ARGUMENT(kBufferIsDeleted, noun, PJRT_Buffer_IsDeleted, buffer);
SAME_ARGUMENT(kBufferIsDeleted, value, PJRT_Buffer_IsDeleted, is_deleted);

SAME_FUNCTION(kBufferCopyToDevice, PJRT_Buffer_CopyToDevice);

SAME_FUNCTION(kBufferToHost, PJRT_Buffer_ToHostBuffer);

SAME_FUNCTION(kBufferReadyEvent, PJRT_Buffer_ReadyEvent);
SAME_ARGUMENT(kBufferReadyEvent, noun, PJRT_Buffer_ReadyEvent, buffer);
SAME_ARGUMENT(kBufferReadyEvent, value, PJRT_Buffer_ReadyEvent, event);

SAME_FUNCTION(kBufferPointer, PJRT_Buffer_UnsafePointer);
SAME_ARGUMENT(kBufferPointer, noun, PJRT_Buffer_UnsafePointer, buffer);
SAME_ARGUMENT(kBufferPointer, value, PJRT_Buffer_UnsafePointer, buffer_pointer);

SAME_FUNCTION(kTopologyCreate, PJRT_TopologyDescription_Create);

SAME_FUNCTION(kTopologyDestroy, PJRT_TopologyDescription_Destroy);
SAME_ARGUMENT(kTopologyDestroy, noun, PJRT_TopologyDescription_Destroy,
              topology);

SAME_FUNCTION(kTopologyPlatformName, PJRT_TopologyDescription_PlatformName);
SAME_ARGUMENT(kTopologyPlatformName, noun,
              PJRT_TopologyDescription_PlatformName, topology);
SAME_ARGUMENT(kTopologyPlatformName, items,
              PJRT_TopologyDescription_PlatformName, platform_name);
SAME_ARGUMENT(kTopologyPlatformName, count,
              PJRT_TopologyDescription_PlatformName, platform_name_size);

SAME_FUNCTION(kTopologyDevices, PJRT_TopologyDescription_GetDeviceDescriptions);
SAME_ARGUMENT(kTopologyDevices, noun,
              PJRT_TopologyDescription_GetDeviceDescriptions, topology);
SAME_ARGUMENT(kTopologyDevices, items,
              PJRT_TopologyDescription_GetDeviceDescriptions, descriptions);
SAME_ARGUMENT(kTopologyDevices, count,
              PJRT_TopologyDescription_GetDeviceDescriptions, num_descriptions);

SAME_FUNCTION(kCompile, PJRT_Compile);

TEST(PjrtFunctions, StandAsPublished) {
  SUCCEED() << "checked while compiling";
}

}  // namespace
}  // namespace systolic::internal::pjrt

#else

TEST(PjrtFunctions, StandAsPublished) {
  GTEST_SKIP() << "no pjrt_c_api.h: run scripts/install-headers";
}

#endif
