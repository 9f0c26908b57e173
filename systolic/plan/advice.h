// What to change, in the words of the guides to TPUs: batch per core, learning
// rate, steps_per_execution, bfloat16, input.
//
//   plan.advice = advice(plan, request);
#pragma once

#include <string>
#include <vector>

#include "systolic/plan/make_plan.h"
#include "systolic/plan/plan.h"

namespace systolic::internal::plan {

// One sentence for each change that would help, the one that helps most
// first; nothing where the plan has nothing to gain.
std::vector<std::string> advice(const systolic::plan::Plan& plan,
                                const Request& request);

}  // namespace systolic::internal::plan
