// The part of the PJRT C API that compiles and runs programs: abi.h goes on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "systolic/pjrt/abi.h"

namespace systolic::internal::pjrt::abi {

struct Program {
  size_t struct_size;
  ExtensionBase* extension_start;
  const char* code;
  size_t code_size;
  const char* format;
  size_t format_size;
};

struct ClientCompileArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Client* client;
  const Program* program;
  const char* compile_options;
  size_t compile_options_size;
  LoadedExecutable* executable;  // out
};

struct CompileArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  const TopologyDescription* topology;
  const Program* program;
  const char* compile_options;
  size_t compile_options_size;
  Client* client;
  Executable* executable;  // out
};

struct SerializedExecutable;
struct ExecutableSerializeArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  const Executable* executable;
  const char* bytes;                                  // out
  size_t num_bytes;                                   // out
  SerializedExecutable* serialized;                   // out
  void (*deleter)(SerializedExecutable* executable);  // out
};

struct DeserializeAndLoadArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Client* client;
  const char* serialized;
  size_t serialized_size;
  LoadedExecutable* executable;  // out
  const char* compile_options;
  size_t compile_options_size;
};

// Called twice: without code it gives the size, then it fills `code`.
struct OptimizedProgramArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Executable* executable;
  Program* program;  // read and written
};

struct ExecutableMemoryArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Executable* executable;
  int64_t generated_code_bytes;
  int64_t argument_bytes;
  int64_t output_bytes;
  int64_t alias_bytes;
  int64_t temporary_bytes;
  int64_t host[5];  // the same five on the host
  int64_t peak_bytes;
};

struct ExecuteOptions {
  size_t struct_size;
  ExtensionBase* extension_start;
  void** send_callbacks;
  void** recv_callbacks;
  size_t num_send_ops;
  size_t num_recv_ops;
  int launch_id;
  const int64_t* non_donatable;
  size_t num_non_donatable;
  void* context;
  const char* call_location;
  size_t num_tasks;
  int* task_ids;
  int64_t* incarnation_ids;
};

struct ExecuteArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  LoadedExecutable* executable;
  ExecuteOptions* options;
  Buffer* const* const* argument_lists;  // [device][argument]
  size_t num_devices;
  size_t num_arguments;
  Buffer** const* output_lists;    // [device][output], filled in
  Event** device_complete_events;  // [device], or null
  Device* execute_device;
};

}  // namespace systolic::internal::pjrt::abi
