// From what the compiler said to a plan: the model of a step's time.
//
//   Plan plan = estimate(request, parse_tpu_topology("v3-8"), compiled);
#pragma once

#include "systolic/plan/compiled.h"
#include "systolic/plan/make_plan.h"
#include "systolic/plan/plan.h"
#include "systolic/platforms/tpu_topology.h"

namespace systolic::internal::plan {

// The plan, without advice (advice.h). A step takes the longer of the input
// and of computing with its collectives, and its share of a launch.
systolic::plan::Plan estimate(const Request& request,
                              const platforms::TpuSlice& slice,
                              const Compiled& compiled);

}  // namespace systolic::internal::plan
