// What SYSTOLIC_PLAN does: the program's first training step is planned for
// the slice it names, the plan is printed, and the program ends.
#pragma once

#include "systolic/graph/planning.h"
#include "systolic/plan/plan.h"

namespace systolic::internal::graph {

/// Starts the planning that SYSTOLIC_PLAN asks for, which lasts as long as the
/// process; does nothing where it is not set. Its plan goes to the output, or
/// as plan.txt and plan.json to the folder that SYSTOLIC_PLAN_OUTPUT names, and
/// ends the process: with 0 where the program fits, with 1 where it does not.
/// SYSTOLIC_PLAN_BATCH stands for the rows of a batch, of all replicas. What is
/// wrong with these, or with the program, ends the process with 2.
void start_planned_run();

/// Plans a program that trains. Throws PlatformError that names the op and the
/// user's line where the TPU's compiler refuses it for anything but memory.
systolic::plan::Plan plan_program(const Planning& planning,
                                  const Program& program);

}  // namespace systolic::internal::graph
