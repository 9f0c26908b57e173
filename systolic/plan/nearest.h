// A figure of a generation that nobody publishes, from its nearest neighbour.
//
//   const TpuGeneration* other =
//       nearest_known(v3, &TpuGeneration::host_gb_per_second);
#pragma once

#include "systolic/platforms/tpu_hardware.h"

namespace systolic::internal::plan {

// The generation nearest to one, itself first and then the older, that a
// figure is known of; null if it is known of none.
const platforms::TpuGeneration* nearest_known(
    const platforms::TpuGeneration& generation,
    platforms::TpuFigure platforms::TpuGeneration::*figure);

}  // namespace systolic::internal::plan
