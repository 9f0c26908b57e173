// A typed view of one FFI call: buffers by position, attributes by name, and
// exceptions turned into errors of the plugin. Kernels see only this:
//   void scale(const FfiCall& call) {
//     double factor = call.float64("factor"); ... call.argument(0) ... }
//   extern "C" ffi_abi::Error* systolic_scale(ffi_abi::CallFrame* frame) {
//     return serve_ffi_call(frame, "systolic_scale", &scale); }
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "systolic/pjrt/ffi_abi.h"

namespace systolic::internal::pjrt {

/// Failure of a kernel, reported to the plugin with its code and message.
class FfiError : public std::runtime_error {
 public:
  /// Makes an error; `message` need not repeat the name of the kernel.
  FfiError(ffi_abi::ErrorCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}

  /// Returns the status code that the plugin reports.
  ffi_abi::ErrorCode code() const { return code_; }

 private:
  ffi_abi::ErrorCode code_;
};

/// Returns the StableHLO spelling of an element type, such as "f32".
std::string_view name(ffi_abi::ElementType type);

/// A dense, row-major buffer of the call; valid until the handler returns.
struct FfiBuffer {
  ffi_abi::ElementType element_type = ffi_abi::ElementType::invalid;
  std::span<const int64_t> dimensions;  ///< sizes, outermost first
  void* data = nullptr;                 ///< null when there are no elements

  /// Returns the number of dimensions.
  int rank() const { return static_cast<int>(dimensions.size()); }

  /// Returns the number of elements; 1 for a scalar.
  int64_t elements() const;

  /// Returns the type as StableHLO spells it, such as "tensor<2x3xf32>".
  std::string to_string() const;
};

/// One execution of a custom call. Every accessor throws FfiError
/// (invalid_argument) when the program does not provide what is asked for.
class FfiCall {
 public:
  /// Wraps `frame`, which must outlive this object.
  explicit FfiCall(const ffi_abi::CallFrame& frame) : frame_(frame) {}

  /// Returns the number of arguments.
  int argument_count() const;

  /// Returns the number of results.
  int result_count() const;

  /// Returns argument `index`, whose data must not be written.
  FfiBuffer argument(int index) const;

  /// Returns result `index`, whose data is to be filled in.
  FfiBuffer result(int index) const;

  /// Returns argument `index`, which must have this element type and rank.
  FfiBuffer argument(int index, ffi_abi::ElementType type, int rank) const;

  /// Returns result `index`, which must have this element type and rank.
  FfiBuffer result(int index, ffi_abi::ElementType type, int rank) const;

  /// Returns whether the call carries an attribute of this name.
  bool has(std::string_view attribute) const;

  /// Returns an integer attribute of 32 or 64 bits (`k = 3 : i64`).
  int64_t int64(std::string_view attribute) const;

  /// Returns an f32 or f64 attribute (`rate = 5.0e-1 : f32`).
  double float64(std::string_view attribute) const;

  /// Returns a boolean attribute (`relu = true`).
  bool boolean(std::string_view attribute) const;

  /// Returns a string attribute (`mode = "same"`).
  std::string_view text(std::string_view attribute) const;

  /// Returns an integer array attribute (`strides = array<i64: 1, 1>`).
  std::span<const int64_t> int64s(std::string_view attribute) const;

  /// Returns an integer array attribute that must have `count` elements.
  std::span<const int64_t> int64s(std::string_view attribute,
                                  size_t count) const;

 private:
  const void* find(std::string_view attribute,
                   ffi_abi::AttributeType type) const;
  const ffi_abi::ScalarAttribute& scalar(std::string_view attribute) const;

  const ffi_abi::CallFrame& frame_;
};

/// Runs `body` for an execution of the kernel `name`. Answers the plugin's
/// metadata query, ignores the other stages, and turns whatever `body` throws
/// into an error "<name>: <message>".
ffi_abi::Error* serve_ffi_call(ffi_abi::CallFrame* frame, const char* name,
                               void (*body)(const FfiCall& call)) noexcept;

}  // namespace systolic::internal::pjrt
