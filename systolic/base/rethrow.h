// Says more about an exception on its way out.
//   try { read(); } catch (...) { rethrow_with("  in: fit, epoch 2"); }
#pragma once

#include <string_view>

namespace systolic::internal {

/// Throws the exception that is being handled again with `line` at the end of
/// its text. Its class stays when it is exactly one of ours, and the original
/// is nested in it (std::rethrow_if_nested); all others are as they were.
/// Called in a catch block only.
[[noreturn]] void rethrow_with(std::string_view line);

}  // namespace systolic::internal
