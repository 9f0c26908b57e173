// The samples of ops before the TPU's compiler (SYSTOLIC_JUDGE).
//
//   contracts::judge_ops(samples);
#pragma once

#include <span>

#include "systolic/testing/op_contract.h"

namespace systolic::contracts {

// Has the chosen judge compile the samples, without running them: values in
// each of their dtypes, gradients in float32, bfloat16 and complex64, second
// gradients in float32, values and gradients in eight replicas. float64 and
// complex128 are left out.
// Reports GoogleTest failures with the sample's name. Does nothing where no
// judge is chosen.
void judge_ops(std::span<const OpSample> samples);

}  // namespace systolic::contracts
