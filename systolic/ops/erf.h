// The error function and its inverse in elementary operations.
//
//   Value y = write_erf(l.e, x);       // x of float32 or float64
#pragma once

#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::ops {

/// erf(x), to the precision of x's dtype (float32 or float64).
stablehlo::Value write_erf(stablehlo::Emitter& e, const stablehlo::Value& x);

/// The y with erf(y) = x; infinite at -1 and 1, NaN beyond.
stablehlo::Value write_erfinv(stablehlo::Emitter& e, const stablehlo::Value& x);

}  // namespace systolic::internal::ops
