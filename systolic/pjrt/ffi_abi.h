// The typed FFI ABI of XLA as plain structs: what a plugin hands to a custom
// call handler, declared by us from the published layout (FFI 0.1 and later).
// Handlers use `systolic/pjrt/ffi.h`, which wraps these structs; a kernel
// library exports its handlers with `systolic_kernels`:
//   auto* list = reinterpret_cast<SystolicKernelsFunction*>(
//       dlsym(library, "systolic_kernels"));
#pragma once

#include <cstddef>
#include <cstdint>

namespace systolic::internal::pjrt::ffi_abi {

/// Version that our handlers report; plugins accept any minor up to theirs.
inline constexpr int kMajorVersion = 0;
/// Oldest minor that every known plugin accepts; nothing newer is used here.
inline constexpr int kMinorVersion = 1;

/// Stage of execution in which a handler is called.
enum class Stage : int32_t { instantiate, prepare, initialize, execute };

/// Kind of an extension in the list hanging off a call frame.
enum class ExtensionType : int32_t { metadata = 1 };

/// Kind of an argument or a result; only buffers exist.
enum class OperandType : int32_t { buffer = 1 };

/// Kind of an attribute, which says what its pointer refers to.
enum class AttributeType : int32_t {
  array = 1,       ///< points to an ArrayAttribute
  dictionary = 2,  ///< points to an Attributes
  scalar = 3,      ///< points to a ScalarAttribute
  string = 4       ///< points to a ByteSpan
};

/// Element types, numbered as in XLA's PrimitiveType.
enum class ElementType : int32_t {
  invalid = 0,
  boolean = 1,
  int8 = 2,
  int16 = 3,
  int32 = 4,
  int64 = 5,
  uint8 = 6,
  uint16 = 7,
  uint32 = 8,
  uint64 = 9,
  float16 = 10,
  float32 = 11,
  float64 = 12,
  complex64 = 15,
  bfloat16 = 16,
  token = 17,
  complex128 = 18,
  float8_e5m2 = 19,
  float8_e4m3fn = 20
};

/// Status codes that we report, numbered as in absl::StatusCode.
enum class ErrorCode : int32_t {
  ok = 0,
  invalid_argument = 3,
  resource_exhausted = 8,
  unimplemented = 12,
  internal = 13
};

/// Error made by the plugin; opaque. A null pointer means success.
struct Error;
/// Per-call state of the plugin; opaque.
struct ExecutionContext;
/// Completion of an asynchronous call; opaque and not used by us.
struct Future;

/// Head of every extension; the list ends with a null `next`.
struct ExtensionBase {
  size_t struct_size;
  ExtensionType type;
  ExtensionBase* next;
};

// ffi.cc asserts the sizes and offsets of what follows.

/// An API version, read from the plugin or reported to it.
struct Version {
  size_t struct_size;
  ExtensionBase* extension_start;
  int major;
  int minor;
};

/// What a handler says about itself; newer plugins append further fields.
struct Metadata {
  size_t struct_size;
  Version version;
  uint32_t traits;
};

/// Extension that asks a handler to fill in `metadata` and to do nothing else.
struct MetadataExtension {
  ExtensionBase base;
  Metadata* metadata;
};

/// A dense, row-major argument or result with `rank` dimensions.
struct Buffer {
  size_t struct_size;
  ExtensionBase* extension_start;
  ElementType element_type;
  void* data;
  int64_t rank;
  int64_t* dimensions;
};

/// Text that is not terminated by a null byte.
struct ByteSpan {
  const char* data;
  size_t size;
};

/// A scalar attribute; `value` points to one element.
struct ScalarAttribute {
  ElementType element_type;
  void* value;
};

/// An array attribute of `size` elements.
struct ArrayAttribute {
  ElementType element_type;
  size_t size;
  void* data;
};

/// The arguments or the results of a call.
struct Operands {
  size_t struct_size;
  ExtensionBase* extension_start;
  int64_t size;
  OperandType* types;
  void** items;
};

/// The attributes of a call, sorted by name.
struct Attributes {
  size_t struct_size;
  ExtensionBase* extension_start;
  int64_t size;
  AttributeType* types;
  ByteSpan** names;
  void** items;
};

/// Request to make an Error; the message is copied by the plugin.
struct ErrorCreateArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  const char* message;
  ErrorCode code;
};

/// Start of the plugin's function table; only its first entry is used.
struct Api {
  size_t struct_size;
  ExtensionBase* extension_start;
  Version version;
  void* internal;
  Error* (*error_create)(ErrorCreateArgs* args);
};

/// Everything a handler gets when it is called.
struct CallFrame {
  size_t struct_size;
  ExtensionBase* extension_start;
  const Api* api;
  ExecutionContext* context;
  Stage stage;
  Operands arguments;
  Operands results;
  Attributes attributes;
  Future* future;
};

/// A handler: returns null for success, else an Error that the plugin frees.
using Handler = Error*(CallFrame* frame);

}  // namespace systolic::internal::pjrt::ffi_abi

/// One custom call target of a kernel library: its name in programs and its
/// handler, an `ffi_abi::Handler*`.
struct SystolicKernel {
  const char* name;
  void* handler;
};

/// Type of the one function that a kernel library exports.
using SystolicKernelsFunction = const SystolicKernel*(size_t* count);

/// Returns the library's kernels, valid as long as it is loaded, and stores
/// their number in `count`.
extern "C" const SystolicKernel* systolic_kernels(size_t* count);
