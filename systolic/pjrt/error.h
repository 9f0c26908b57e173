// Where an error of a plugin becomes an exception: nowhere else.
//
//   check(api, error, "PJRT_Client_Compile");
//   // PlatformError "PJRT_Client_Compile: INVALID_ARGUMENT: ..."
#pragma once

#include <exception>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/pjrt/abi_fwd.h"

namespace systolic::internal::pjrt {

// The codes that are made here too: of a deadline that has passed, of what a
// plugin does not have, of a plugin that breaks its word.
inline constexpr int kDeadlineExceeded = 4;
inline constexpr int kUnimplemented = 12;
inline constexpr int kInternal = 13;

// "INVALID_ARGUMENT": the name of a plugin's error code.
std::string_view code_name(int code);

// Nothing for a null error; else takes it and throws the PlatformError that
// says the same, with the call's name and the code.
void check(const abi::Api* api, abi::Error* error, const char* call);

// The same as a value, for threads that must not throw: null for no error.
std::exception_ptr to_exception(const abi::Api* api, abi::Error* error,
                                const char* call) noexcept;

// Throws that a function reported success and gave nothing.
[[noreturn]] void throw_nothing_given(const char* call);

// Throws that the plugin's table is too old to have a function.
[[noreturn]] void throw_missing_function(const abi::Api* api, const char* call);

}  // namespace systolic::internal::pjrt
