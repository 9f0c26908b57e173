// What is computed while something asynchronous is under way.
//
//   double cycles = cycles_beside(computation, start);
#pragma once

#include "systolic/plan/hlo_module.h"

namespace systolic::internal::plan {

// The cycles of the instructions that run between the begin of an
// asynchronous operation, or the last update that gives it its values, and
// its end; 0 where it has no end in the computation.
double cycles_beside(const HloComputation& computation,
                     const HloInstruction& start);

}  // namespace systolic::internal::plan
