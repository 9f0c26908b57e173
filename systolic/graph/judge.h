// What the TPU's compiler says of a recorded program: SYSTOLIC_JUDGE.
//
//   judge(program, {});  // does nothing where no slice is chosen
#pragma once

#include <span>

#include "systolic/graph/program.h"
#include "systolic/runtime/tpu_judge.h"

namespace systolic::internal::graph {

/// Has the chosen judge compile a program for its slices, in the form that a
/// TPU gets: lowered without the CPU's kernels. A program of one device is
/// compiled for all devices of a slice, each a replica. One that is refused is
/// a PlatformError that names the op, the user's line and the compiler's
/// reason, unless each op that is refused is among the exceptions. Programs
/// with float64 are not compiled, as TPUs have none. Does nothing where no
/// judge is chosen.
void judge(const Program& program, std::span<const int> generic);

/// The same with a judge that is given.
void judge(runtime::TpuJudge& judge, const Program& program,
           std::span<const int> generic,
           std::span<const runtime::JudgeException> exceptions);

/// Judges the program of some pending values without running it.
void judge_values(std::span<const Ref> refs);

}  // namespace systolic::internal::graph
