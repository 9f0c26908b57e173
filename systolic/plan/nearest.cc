// Tested by: systolic/plan/collectives_test.cc
#include "systolic/plan/nearest.h"

#include <cstddef>

namespace systolic::internal::plan {

const platforms::TpuGeneration* nearest_known(
    const platforms::TpuGeneration& generation,
    platforms::TpuFigure platforms::TpuGeneration::*figure) {
  const auto all = platforms::tpu_generations();
  const std::ptrdiff_t place = &generation - all.data();
  for (std::ptrdiff_t step = 0; step < std::ssize(all); ++step) {
    for (const std::ptrdiff_t other : {place - step, place + step}) {
      if (other < 0 || other >= std::ssize(all)) continue;
      const auto& candidate = all[static_cast<size_t>(other)];
      if ((candidate.*figure).is_known()) return &candidate;
    }
  }
  return nullptr;
}

}  // namespace systolic::internal::plan
