// The functions of the PJRT table that are used: where each stands, what it
// is called with, and its name for messages.
//
//   Padded<abi::NounArgs<abi::Event>> args;
//   args->noun = event;
//   call(api, kEventAwait, args);  // throws PlatformError
#pragma once

#include "systolic/pjrt/abi.h"
#include "systolic/pjrt/abi_buffer.h"
#include "systolic/pjrt/abi_program.h"

namespace systolic::internal::pjrt {

// One function of the table.
template <class Args>
struct Function {
  int index;
  const char* name;
};

namespace functions {

template <class Noun>
using Of = Function<abi::NounArgs<Noun>>;
template <class Noun, class Value>
using Get = Function<abi::GetArgs<Noun, Value>>;
template <class Noun, class Item>
using List = Function<abi::ListArgs<Noun, Item>>;
template <class Noun, class Item>
using Counted = Function<abi::CountedArgs<Noun, Item>>;

}  // namespace functions

inline constexpr functions::Of<abi::Error> kErrorDestroy{0,
                                                         "PJRT_Error_Destroy"};
inline constexpr functions::List<abi::Error, char> kErrorMessage{
    1, "PJRT_Error_Message"};
inline constexpr functions::Get<abi::Error, int32_t> kErrorGetCode{
    2, "PJRT_Error_GetCode"};
inline constexpr Function<abi::PluginInitializeArgs> kPluginInitialize{
    3, "PJRT_Plugin_Initialize"};
inline constexpr Function<abi::PluginAttributesArgs> kPluginAttributes{
    4, "PJRT_Plugin_Attributes"};

inline constexpr functions::Of<abi::Event> kEventDestroy{5,
                                                         "PJRT_Event_Destroy"};
inline constexpr functions::Get<abi::Event, bool> kEventIsReady{
    6, "PJRT_Event_IsReady"};
inline constexpr functions::Of<abi::Event> kEventAwait{8, "PJRT_Event_Await"};
inline constexpr Function<abi::EventOnReadyArgs> kEventOnReady{
    9, "PJRT_Event_OnReady"};

inline constexpr Function<abi::ClientCreateArgs> kClientCreate{
    10, "PJRT_Client_Create"};
inline constexpr functions::Of<abi::Client> kClientDestroy{
    11, "PJRT_Client_Destroy"};
inline constexpr functions::List<abi::Client, char> kClientPlatformName{
    12, "PJRT_Client_PlatformName"};
inline constexpr functions::List<abi::Client, char> kClientPlatformVersion{
    14, "PJRT_Client_PlatformVersion"};
inline constexpr functions::List<abi::Client, abi::Device*> kClientDevices{
    16, "PJRT_Client_AddressableDevices"};
inline constexpr Function<abi::ClientCompileArgs> kClientCompile{
    20, "PJRT_Client_Compile"};
inline constexpr Function<abi::BufferFromHostArgs> kBufferFromHost{
    22, "PJRT_Client_BufferFromHostBuffer"};

inline constexpr functions::Get<abi::DeviceDescription, int> kDescriptionId{
    23, "PJRT_DeviceDescription_Id"};
inline constexpr functions::Counted<abi::DeviceDescription, abi::NamedValue>
    kDescriptionAttributes{25, "PJRT_DeviceDescription_Attributes"};
inline constexpr functions::List<abi::DeviceDescription, char> kDescriptionKind{
    26, "PJRT_DeviceDescription_Kind"};
inline constexpr functions::List<abi::DeviceDescription, char>
    kDescriptionToString{28, "PJRT_DeviceDescription_ToString"};
inline constexpr functions::Get<abi::Device, abi::DeviceDescription*>
    kDeviceDescription{29, "PJRT_Device_GetDescription"};
inline constexpr functions::Get<abi::Device, abi::Memory*> kDeviceMemory{
    33, "PJRT_Device_DefaultMemory"};
inline constexpr Function<abi::DeviceMemoryStatsArgs> kDeviceMemoryStats{
    34, "PJRT_Device_MemoryStats"};
inline constexpr functions::List<abi::Memory, char> kMemoryKind{
    36, "PJRT_Memory_Kind"};

inline constexpr functions::Of<abi::Executable> kExecutableDestroy{
    40, "PJRT_Executable_Destroy"};
inline constexpr functions::List<abi::Executable, char> kExecutableName{
    41, "PJRT_Executable_Name"};
inline constexpr functions::Get<abi::Executable, size_t> kExecutableNumOutputs{
    44, "PJRT_Executable_NumOutputs"};
inline constexpr functions::Counted<abi::Executable, abi::NamedValue>
    kExecutableCost{46, "PJRT_Executable_GetCostAnalysis"};
inline constexpr Function<abi::OptimizedProgramArgs> kExecutableOptimized{
    48, "PJRT_Executable_OptimizedProgram"};
inline constexpr Function<abi::ExecutableSerializeArgs> kExecutableSerialize{
    49, "PJRT_Executable_Serialize"};
inline constexpr Function<abi::ExecutableMemoryArgs> kExecutableMemory{
    96, "PJRT_Executable_GetCompiledMemoryStats"};
inline constexpr functions::Of<abi::LoadedExecutable> kLoadedDestroy{
    50, "PJRT_LoadedExecutable_Destroy"};
inline constexpr functions::Get<abi::LoadedExecutable, abi::Executable*>
    kLoadedExecutable{51, "PJRT_LoadedExecutable_GetExecutable"};
inline constexpr Function<abi::ExecuteArgs> kLoadedExecute{
    55, "PJRT_LoadedExecutable_Execute"};
inline constexpr Function<abi::DeserializeAndLoadArgs> kDeserializeAndLoad{
    56, "PJRT_Executable_DeserializeAndLoad"};

inline constexpr functions::Of<abi::Buffer> kBufferDestroy{
    58, "PJRT_Buffer_Destroy"};
inline constexpr functions::Get<abi::Buffer, abi::BufferType>
    kBufferElementType{59, "PJRT_Buffer_ElementType"};
inline constexpr functions::List<abi::Buffer, int64_t> kBufferDimensions{
    60, "PJRT_Buffer_Dimensions"};
inline constexpr functions::Get<abi::Buffer, abi::MemoryLayout> kBufferLayout{
    63, "PJRT_Buffer_GetMemoryLayout"};
inline constexpr functions::Get<abi::Buffer, size_t> kBufferOnDeviceSize{
    64, "PJRT_Buffer_OnDeviceSizeInBytes"};
inline constexpr functions::Get<abi::Buffer, abi::Device*> kBufferDevice{
    65, "PJRT_Buffer_Device"};
inline constexpr functions::Get<abi::Buffer, bool> kBufferIsDeleted{
    68, "PJRT_Buffer_IsDeleted"};
inline constexpr Function<abi::BufferCopyToDeviceArgs> kBufferCopyToDevice{
    69, "PJRT_Buffer_CopyToDevice"};
inline constexpr Function<abi::BufferToHostArgs> kBufferToHost{
    70, "PJRT_Buffer_ToHostBuffer"};
inline constexpr functions::Get<abi::Buffer, abi::Event*> kBufferReadyEvent{
    72, "PJRT_Buffer_ReadyEvent"};
inline constexpr functions::Get<abi::Buffer, uintptr_t> kBufferPointer{
    73, "PJRT_Buffer_UnsafePointer"};

inline constexpr Function<abi::TopologyCreateArgs> kTopologyCreate{
    82, "PJRT_TopologyDescription_Create"};
inline constexpr functions::Of<abi::TopologyDescription> kTopologyDestroy{
    83, "PJRT_TopologyDescription_Destroy"};
inline constexpr functions::List<abi::TopologyDescription, char>
    kTopologyPlatformName{84, "PJRT_TopologyDescription_PlatformName"};
inline constexpr functions::List<abi::TopologyDescription,
                                 abi::DeviceDescription*>
    kTopologyDevices{86, "PJRT_TopologyDescription_GetDeviceDescriptions"};
inline constexpr Function<abi::CompileArgs> kCompile{89, "PJRT_Compile"};

}  // namespace systolic::internal::pjrt
