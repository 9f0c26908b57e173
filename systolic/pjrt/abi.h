// The PJRT C API as plain structs: what a plugin is called with, declared by
// us from the published layout (API 0.81 and later, major version 0). Every
// function of the table takes a pointer to one argument struct, so most of
// them are one of four shapes:
//   GetArgs<Event, bool> args{...};  // in: the event, out: a bool
#pragma once

#include <cstddef>
#include <cstdint>

#include "systolic/pjrt/abi_fwd.h"

namespace systolic::internal::pjrt::abi {

inline constexpr int kMajorVersion = 0;

enum class ExtensionType : int32_t { ffi = 5 };

struct ExtensionBase {
  size_t struct_size;
  ExtensionType type;
  ExtensionBase* next;
};

struct Version {
  size_t struct_size;
  ExtensionBase* extension_start;
  int major;
  int minor;
};

// The head of the function table; `struct_size` counts the functions too.
struct Api {
  size_t struct_size;
  ExtensionBase* extension_start;
  Version version;
};

// Arguments that name an object and nothing else.
template <class Noun>
struct NounArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Noun* noun;
};

// An object in, a value out.
template <class Noun, class Value>
struct GetArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Noun* noun;
  Value value;
};

// An object in, a list or a text out, which the plugin keeps.
template <class Noun, class Item>
struct ListArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Noun* noun;
  Item const* items;
  size_t count;
};

// The same with the count first.
template <class Noun, class Item>
struct CountedArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Noun* noun;
  size_t count;
  Item const* items;
};

enum class NamedValueType : int32_t {
  string = 0,
  int64 = 1,
  int64_list = 2,
  float32 = 3,
  boolean = 4
};

// A named option or attribute.
struct NamedValue {
  size_t struct_size;
  ExtensionBase* extension_start;
  const char* name;
  size_t name_size;
  NamedValueType type;
  union {
    const char* string_value;
    int64_t int64_value;
    const int64_t* int64_list_value;
    float float_value;
    bool bool_value;
  };
  size_t value_size;  // elements of a string or a list, else 1
};

struct PluginInitializeArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
};

struct PluginAttributesArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  const NamedValue* attributes;
  size_t num_attributes;
};

using EventCallback = void(Error* error, void* user_arg);

struct EventOnReadyArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Event* event;
  EventCallback* callback;
  void* user_arg;
};

struct ClientCreateArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  const NamedValue* create_options;
  size_t num_options;
  void* kv_get_callback;
  void* kv_get_user_arg;
  void* kv_put_callback;
  void* kv_put_user_arg;
  Client* client;  // out
  void* kv_try_get_callback;
  void* kv_try_get_user_arg;
};

struct TopologyCreateArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  const char* topology_name;
  size_t topology_name_size;
  const NamedValue* create_options;
  size_t num_options;
  TopologyDescription* topology;  // out
};

struct DeviceMemoryStatsArgs {
  struct Optional {
    int64_t value;
    bool is_set;
  };
  size_t struct_size;
  ExtensionBase* extension_start;
  Device* device;
  int64_t bytes_in_use;
  Optional peak_bytes_in_use;
  Optional num_allocs;
  Optional largest_alloc_size;
  Optional bytes_limit;
  Optional bytes_reserved;
  Optional peak_bytes_reserved;
  Optional bytes_reservable_limit;
  Optional largest_free_block_bytes;
  Optional pool_bytes;
  Optional peak_pool_bytes;
};

// Custom calls. This struct alone has no `extension_start`.
struct FfiRegisterHandlerArgs {
  size_t struct_size;
  const char* target_name;
  size_t target_name_size;
  void* handler;
  const char* platform_name;
  size_t platform_name_size;
  int32_t traits;
};

struct FfiExtension {
  ExtensionBase base;
  void* type_register;
  void* user_data_add;
  Error* (*register_handler)(FfiRegisterHandlerArgs* args);
};

}  // namespace systolic::internal::pjrt::abi
