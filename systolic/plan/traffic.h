// How many bytes an instruction moves to and from the device's large memory.
//
//   double bytes = traffic(module, computation, instruction);
#pragma once

#include "systolic/plan/hlo_module.h"

namespace systolic::internal::plan {

// Operands that are read and results that are written, once each. What stays
// in the core's own memory counts nothing; of an operand that is only sliced,
// and of a result that is updated in place, only that part counts.
double traffic(const HloModule& module, const HloComputation& computation,
               const HloInstruction& instruction);

}  // namespace systolic::internal::plan
