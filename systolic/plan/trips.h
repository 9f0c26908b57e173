// How often a loop turns.
//
//   int64_t turns = trips_of(module, computation, loop);   // 0: not known
#pragma once

#include <cstdint>
#include <string_view>

#include "systolic/plan/hlo_module.h"

namespace systolic::internal::plan {

// The turns of a "while": the compiler's note of them; where the loop counts
// from a constant to a constant, what comes of it; the length in its name. 0
// where none of them says.
int64_t trips_of(const HloModule& module, const HloComputation& computation,
                 const HloInstruction& loop);

// The length at the end of a loop's op_name, "fit/while [trips=50]"; 0 where
// there is none.
int64_t trips_of_name(std::string_view op_name);

}  // namespace systolic::internal::plan
