// Says more about an exception on its way out.
//   try { read(); } catch (...) { rethrow_with("  in: fit, epoch 2"); }
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/base/call_site.h"

namespace systolic::internal {

/// Throws the exception that is being handled again with `line` at the end of
/// its text. Its class stays when it is exactly one of ours, and the original
/// is nested in it (std::rethrow_if_nested); all others are as they were.
/// Called in a catch block only.
[[noreturn]] void rethrow_with(std::string_view line);

/// The same with the line "  at: main.cc:42"; nothing is said of a place
/// inside of the library.
[[noreturn]] void rethrow_at(const CallSite& site);

/// What `call` gives; what it throws says that it was called at `site`.
template <class Call>
decltype(auto) called_at(const CallSite& site, const Call& call) {
  try {
    return call();
  } catch (...) {
    rethrow_at(site);
  }
}

/// ", step 3" or ", steps 3 to 5": how a line about steps, from 1, ends.
std::string steps_text(int64_t first, int64_t last);

}  // namespace systolic::internal
