// Calls a function of the plugin's table: argument structs that newer plugins
// accept, the check that the table has the function, the error's exception.
//
//   Padded<abi::GetArgs<abi::Event, bool>> args;
//   args->noun = event;
//   call(api, kEventIsReady, args);
//   bool ready = args->value;
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "systolic/pjrt/error.h"
#include "systolic/pjrt/functions.h"

namespace systolic::internal::pjrt {

// An argument struct with zeroes behind it: a plugin whose struct has grown
// since reads zeroes there, which mean "not given".
template <class Args>
class Padded {
 public:
  Padded() { args_.struct_size = sizeof(*this); }
  Args* operator->() { return &args_; }
  const Args* operator->() const { return &args_; }
  Args* get() { return &args_; }

 private:
  static constexpr size_t kTail = 128;
  Args args_{};
  std::byte tail_[kTail]{};
};

// Whether the plugin's table has a function.
template <class Args>
bool has_function(const abi::Api* api, const Function<Args>& function) {
  const size_t end = sizeof(abi::Api) +
                     (static_cast<size_t>(function.index) + 1) * sizeof(void*);
  return api->struct_size >= end &&
         reinterpret_cast<void* const*>(api + 1)[function.index] != nullptr;
}

// Calls a function and returns the plugin's error, which the caller owns.
template <class Args>
abi::Error* invoke(const abi::Api* api, const Function<Args>& function,
                   Padded<Args>& args) {
  if (!has_function(api, function)) [[unlikely]] {
    throw_missing_function(api, function.name);
  }
  using Pointer = abi::Error* (*)(Args*);
  return reinterpret_cast<Pointer const*>(api + 1)[function.index](args.get());
}

// Calls one of the two functions that return nothing.
template <class Args>
void invoke_void(const abi::Api* api, const Function<Args>& function,
                 Padded<Args>& args) {
  if (!has_function(api, function)) [[unlikely]] {
    throw_missing_function(api, function.name);
  }
  using Pointer = void (*)(Args*);
  reinterpret_cast<Pointer const*>(api + 1)[function.index](args.get());
}

// Calls a function; throws PlatformError with its name if it fails.
template <class Args>
void call(const abi::Api* api, const Function<Args>& function,
          Padded<Args>& args) {
  check(api, invoke(api, function, args), function.name);
}

// The same for a function that plugins need not have; false: not there.
template <class Args>
bool call_if_implemented(const abi::Api* api, const Function<Args>& function,
                         Padded<Args>& args) {
  try {
    call(api, function, args);
    return true;
  } catch (const PlatformError& error) {
    if (error.code() != kUnimplemented) throw;
    return false;
  }
}

// What a function that reports success has put into its arguments. Throws
// PlatformError if that is nothing: a null handle would crash much later.
template <class Noun>
Noun* given(Noun* noun, const char* call) {
  if (noun == nullptr) [[unlikely]] {
    throw_nothing_given(call);
  }
  return noun;
}

// The value that a function gives for an object.
template <class Noun, class Value>
Value get(const abi::Api* api,
          const Function<abi::GetArgs<Noun, Value>>& function, Noun* noun) {
  Padded<abi::GetArgs<Noun, Value>> args;
  args->noun = noun;
  call(api, function, args);
  return args->value;
}

// The text that a function gives for an object.
template <class Noun>
std::string get_text(const abi::Api* api,
                     const Function<abi::ListArgs<Noun, char>>& function,
                     Noun* noun) {
  Padded<abi::ListArgs<Noun, char>> args;
  args->noun = noun;
  call(api, function, args);
  return args->items == nullptr ? "" : std::string(args->items, args->count);
}

}  // namespace systolic::internal::pjrt
