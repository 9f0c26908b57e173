// Null pointers, refused where a name or a function is taken and not where it
// is used.
//   name_ = name_text(name, "activation", where);
//   require_function(function, "map \"prepare\"");
#pragma once

#include <functional>
#include <string_view>
#include <type_traits>

#include "systolic/base/error.h"

namespace systolic::internal {

// The text at `name`; throws ValueError, naming `what` it is the name of, for
// a null pointer.
std::string_view name_text(const char* name, std::string_view what,
                           const SourceLocation& where = SourceLocation());

// Throws the ValueError of require_function.
[[noreturn]] void raise_null_function(std::string_view who);

template <class F>
inline constexpr bool kCanBeNull = std::is_pointer_v<F>;
template <class Signature>
inline constexpr bool kCanBeNull<std::function<Signature>> = true;

// Throws ValueError, naming `who` takes it, for a null pointer to a function
// and for an empty std::function.
template <class F>
void require_function([[maybe_unused]] const F& function,
                      [[maybe_unused]] std::string_view who) {
  if constexpr (kCanBeNull<F>) {
    if (function == nullptr) raise_null_function(who);
  }
}

}  // namespace systolic::internal
