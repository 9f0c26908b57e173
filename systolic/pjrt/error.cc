#include "systolic/pjrt/error.h"

#include <array>
#include <string>

#include "systolic/pjrt/abi.h"
#include "systolic/pjrt/call.h"
#include "systolic/pjrt/handle.h"

namespace systolic::internal::pjrt {
namespace {

constexpr std::array<std::string_view, 17> kCodeNames{
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};
constexpr int kUnknown = 2;

std::string message_of(const abi::Api* api, abi::Error* error) {
  if (!has_function(api, kErrorMessage)) return "the plugin gives no message";
  Padded<abi::ListArgs<abi::Error, char>> args;
  args->noun = error;
  invoke_void(api, kErrorMessage, args);
  return args->items == nullptr ? "" : std::string(args->items, args->count);
}

int code_of(const abi::Api* api, abi::Error* error) {
  if (!has_function(api, kErrorGetCode)) return kUnknown;
  Padded<abi::GetArgs<abi::Error, int32_t>> args;
  args->noun = error;
  if (abi::Error* second = invoke(api, kErrorGetCode, args)) {
    const Handle<abi::Error> owned(api, second);
    return kUnknown;
  }
  return args->value;
}

// Plugins start some messages with the code's name already.
PlatformError make_error(const abi::Api* api, abi::Error* error,
                         const char* call) {
  const Handle<abi::Error> owned(api, error);
  const int code = code_of(api, error);
  const std::string message = message_of(api, error);
  const std::string prefix = std::string(code_name(code)) + ": ";
  const bool has_prefix = message.compare(0, prefix.size(), prefix) == 0;
  return PlatformError(
      std::string(call) + ": " + (has_prefix ? "" : prefix) + message, call,
      code);
}

}  // namespace

std::string_view code_name(int code) {
  if (code < 0 || code >= static_cast<int>(kCodeNames.size())) {
    return kCodeNames[kUnknown];
  }
  return kCodeNames[static_cast<size_t>(code)];
}

void check(const abi::Api* api, abi::Error* error, const char* call) {
  if (error != nullptr) [[unlikely]] {
    throw make_error(api, error, call);
  }
}

std::exception_ptr to_exception(const abi::Api* api, abi::Error* error,
                                const char* call) noexcept {
  if (error == nullptr) return nullptr;
  try {
    return std::make_exception_ptr(make_error(api, error, call));
  } catch (...) {  // out of memory while the text was built
    return std::current_exception();
  }
}

void throw_nothing_given(const char* call) {
  throw PlatformError(
      std::string(call) + ": the plugin reports success and gives nothing",
      call, kInternal);
}

void throw_missing_function(const abi::Api* api, const char* call) {
  throw PlatformError(
      std::string(call) + ": the plugin's API " +
          std::to_string(api->version.major) + "." +
          std::to_string(api->version.minor) +
          " does not have this function\n  hint: install a newer plugin",
      call, kUnimplemented);
}

}  // namespace systolic::internal::pjrt
